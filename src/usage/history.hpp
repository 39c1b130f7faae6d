// What queues have held over time, kept by ourselves: clientType embedded.
//
// Time is cut into buckets, 32 of them in a sliding window, one for a window that tumbles or follows a cron
// line. Each holds amounts integrated over its time, decayed by the half life to the moment of its last
// change, so decay is exact. What has left the window is forgotten by buckets; of the one that the begin of
// a sliding window divides, a part counts. Moments when nobody watched count for nobody, and neither does
// their capacity.
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
  explicit UsageHistory(const UsageSettings& settings);  // which outlive it

  // Between the two instants the queues held so much of the capacity.
  void add(TimePoint from, TimePoint to, const QueueUsage& held, const UsageAmounts& capacity);
  // As shares of the capacity.
  QueueUsage shares(TimePoint now) const;

  // To be kept over restarts, and back. What was kept under other settings, or is damaged, is refused and
  // changes nothing.
  std::string text() const;
  Result<bool> restore(std::string_view text);

 private:
  struct Bucket {
    TimePoint end{}, at{};  // `at`: the sums are decayed to that moment
    UsageAmounts capacity{};
    QueueUsage use;
  };
  using Buckets = std::map<TimePoint, Bucket>;  // by begin

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
