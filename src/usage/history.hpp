// The past use of queues, recorded by muster itself: clientType embedded.
//
// Time is divided into buckets: 32 of them in a sliding window, one in a tumbling or cron window. Each bucket
// contains amounts integrated over its time and decayed by the half life to the time of its last change, so
// that decay is exact. Buckets that have left the window are dropped. A bucket that is partly in the sliding
// window counts in part. Time that was not recorded counts neither as use nor as capacity.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "usage/amounts.hpp"
#include "usage/window.hpp"
#include "util/result.hpp"

namespace muster {

class UsageHistory {
 public:
  explicit UsageHistory(const UsageSettings& settings);  // must outlive the history

  // Records what the queues held, and the capacity, from `from` to `to`.
  void add(TimePoint from, TimePoint to, const QueueUsage& held, const UsageAmounts& capacity);
  // The shares of the capacity.
  QueueUsage shares(TimePoint now) const;

  // Convert the history to text, to keep it across restarts, and back. Text that is damaged, or was recorded
  // under other settings, is refused and changes nothing.
  std::string text() const;
  Result<bool> restore(std::string_view text);

 private:
  struct Bucket {
    TimePoint end{}, at{};  // the sums are decayed to `at`
    UsageAmounts capacity{};
    QueueUsage use;
  };
  using Buckets = std::map<TimePoint, Bucket>;  // by start

  struct Kept;

  UsageSpan span_of_bucket(TimePoint t) const;
  void add_to_bucket(TimePoint from, TimePoint to, const QueueUsage& held, const UsageAmounts& capacity);
  void forget_before(TimePoint begin);
  double weight_of(TimePoint begin, const Bucket& bucket, TimePoint now) const;
  std::string settings_text() const;

  const UsageSettings& settings_;
  Buckets buckets_;
};

}  // namespace muster
