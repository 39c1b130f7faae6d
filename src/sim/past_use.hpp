// The past use of queues in simulated time. It replaces the usage data of a live cluster, so that
// usageDBConfig can be tried in a simulation.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/cluster.hpp"
#include "usage/history.hpp"
#include "usage/settings.hpp"

namespace muster {

class PastUse {
 public:
  // Counts use if the settings ask for past use, independent of its configured source. The shares in `before`
  // count as if they had been held for one window before the start.
  PastUse(const UsageSettings& settings, const Cluster& cluster, const std::map<std::string, Shares>& before,
          TimePoint from);

  bool is_kept() const { return settings_.is_wanted(); }
  // Records that the queues have held their current resources until `now`.
  void count_until(TimePoint now, const Cluster& cluster);
  bool is_due(TimePoint now) const { return is_kept() && now >= next_; }
  TimePoint next() const { return next_; }
  // False if the last two values were equal, because they then stay equal until something happens.
  bool may_change() const { return may_change_; }
  void something_happened() { may_change_ = true; }
  // Updates `in_force` to the shares at `now`. Returns false if they have not changed.
  bool take(TimePoint now, std::map<std::string, Shares>& in_force);

 private:
  UsageSettings settings_;
  UsageHistory history_;
  const TimePoint counted_from_;
  TimePoint counted_, next_;
  bool may_change_ = true;
};

}  // namespace muster
