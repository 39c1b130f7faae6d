// Adds up the use between the times at which the shares are read.
#include "sim/past_use.hpp"

#include <algorithm>

namespace muster {

PastUse::PastUse(const UsageSettings& settings, const Cluster& cluster,
                 const std::map<std::string, Shares>& before, TimePoint from)
    : settings_(settings), history_(settings_), counted_from_(from), counted_(from), next_(from) {
  if (!is_kept() || before.empty()) return;
  const UsageSpan window = window_at(settings_, from);
  if (window.is_empty()) return;
  const UsageAmounts capacity = cluster.total().shares();
  QueueUsage held;
  for (const auto& [queue, shares] : before)
    for (std::size_t r = 0; r < capacity.size(); ++r) held[queue][r] = shares[r] * capacity[r];
  history_.add(window.begin, from, held, capacity);
}

void PastUse::count_until(TimePoint now, const Cluster& cluster) {
  if (!is_kept() || now <= counted_) return;
  QueueUsage held;
  for (QueueId q : ids(cluster.queues()))
    if (cluster.queue(q).usable) held[cluster.queue(q).name] = cluster.use(q).allocated.shares();
  history_.add(counted_, now, held, cluster.total().shares());
  counted_ = now;
}

bool PastUse::take(TimePoint now, std::map<std::string, Shares>& in_force) {
  next_ = now + std::max<Duration>(settings_.fetch_interval, std::chrono::seconds(1));
  QueueUsage shares = history_.shares(now);
  const bool is_new = shares != in_force;
  may_change_ = is_new || now == counted_from_;
  if (is_new) in_force = std::move(shares);
  return is_new;
}

}  // namespace muster
