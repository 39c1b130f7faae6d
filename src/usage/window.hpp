// The stretch of time over which use is counted, and how long what was counted holds.
#pragma once

#include <optional>

#include "usage/settings.hpp"

namespace muster {

struct UsageSpan {
  TimePoint begin, end;
  bool is_empty() const { return begin >= end; }
};

// Up to now: since `windowSize` ago, since the last multiple of it from the start time on, or since the last
// moment of the cron line. Empty before the start time.
UsageSpan window_at(const UsageSettings& settings, TimePoint now);
// When counting starts anew; nothing: a sliding window never does.
std::optional<TimePoint> next_reset(const UsageSettings& settings, TimePoint now);

// Weight of what was held so long ago.
double decayed(const UsageSettings& settings, Duration age);
// The part of a share that still counts when it was computed at `then` and could not be since: all of it
// until it is stale. From then on it fades as if nobody had used anything any more, by the half life, else as
// the window moves on. Nothing of it is left when the window is over.
double left_of_share(const UsageSettings& settings, TimePoint then, TimePoint now);

}  // namespace muster
