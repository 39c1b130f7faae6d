// Past use of queues in simulated time: what serve keeps of a live cluster, kept of the one that is played,
// so that usageDBConfig can be tried.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/cluster.hpp"
#include "usage/history.hpp"
#include "usage/settings.hpp"

namespace muster::cli {

class PastUse {
 public:
  // Counts where the settings ask for past use, whoever would give it live. What `before` says counts as if
  // it had been held for one window before the start.
  PastUse(const UsageSettings& settings, const Cluster& cluster, const std::map<std::string, Shares>& before,
          TimePoint from);

  bool is_kept() const { return settings_.is_wanted(); }
  // The queues held until `now` what they hold now.
  void count_until(TimePoint now, const Cluster& cluster);
  bool is_due(TimePoint now) const { return is_kept() && now >= next_; }
  TimePoint next() const { return next_; }
  // False where the last two values were the same: they will stay so as long as nothing happens.
  bool may_change() const { return may_change_; }
  void something_happened() { may_change_ = true; }
  // The shares as of now; false where they are the same as those in force.
  bool take(TimePoint now, std::map<std::string, Shares>& in_force);

 private:
  UsageSettings settings_;
  UsageHistory history_;
  const TimePoint counted_from_;
  TimePoint counted_, next_;
  bool may_change_ = true;
};

}  // namespace muster::cli
