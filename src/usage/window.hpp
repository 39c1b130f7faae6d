// The time span over which use counts, and how long a computed share remains valid.
#pragma once

#include <optional>

#include "usage/settings.hpp"

namespace muster {

struct UsageSpan {
  TimePoint begin, end;
  bool is_empty() const { return begin >= end; }
};

// The span in which use counts. It ends now. It begins `windowSize` ago (sliding), at the start time plus a
// multiple of `windowSize` (tumbling), or at the last time of the schedule (cron). Empty before the start
// time.
UsageSpan window_at(const UsageSettings& settings, TimePoint now);
// The next time at which counting restarts; nullopt for a sliding window.
std::optional<TimePoint> next_reset(const UsageSettings& settings, TimePoint now);

// The weight of use of this age.
double decayed(const UsageSettings& settings, Duration age);
// The part of a share that still counts if it was computed at `then` and could not be updated since. A share
// counts fully until it is stale. It then decays as if no queue had used anything since: with the half life,
// or, if there is none, as the window moves on. It is 0 when the window is over.
double remaining_share(const UsageSettings& settings, TimePoint then, TimePoint now);

}  // namespace muster
