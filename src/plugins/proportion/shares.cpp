// Divides the cluster's total between the top queues, and each queue's share between its children.
#include "plugins/proportion/shares.hpp"

#include <vector>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {

QueueShares::QueueShares(const Session& session, double k_value)
    : cluster_(session.cluster),
      settings_(session.settings),
      k_value_(k_value),
      fair_(cluster_.queues().size()),
      requested_(cluster_.queues().size()),
      allocatable_(cluster_.queues().size()) {
  for (QueueId q : ids(cluster_.queues())) {
    const QueueUse& use = cluster_.use(q);
    Demand pending{.charge = use.pending};
    if (cluster_.smallest_gpu() > 0)
      pending.gpus_by_memory =
          static_cast<double>(use.pending_gpu_memory) / static_cast<double>(cluster_.smallest_gpu());
    requested_[q] = pending.with(use.allocated);
  }
  divide(cluster_.queue_tree().top(), cluster_.total().shares());
  for (QueueId q : ids(cluster_.queues()))
    for (Accounted r : kAccounted) {
      const QueueAmounts& amounts = cluster_.queue(q).of(r);
      allocatable_[q][index(r)] = fairshare::allocatable(amounts.quota, amounts.limit, fair_[q][index(r)]);
    }
}

void QueueShares::divide(std::span<const QueueId> siblings, const Shares& total) {
  for (Accounted r : kAccounted) divide(siblings, total[index(r)], r);
  for (QueueId q : siblings)
    if (!cluster_.queue(q).is_leaf()) divide(cluster_.queue(q).children, fair_[q]);
}

void QueueShares::divide(std::span<const QueueId> siblings, double total, Accounted r) {
  std::vector<fairshare::Member> members;
  members.reserve(siblings.size());
  for (QueueId q : siblings) {
    const Queue& queue = cluster_.queue(q);
    const auto used = settings_.usage.find(queue.name);
    members.push_back({.deserved = queue.of(r).quota,
                       .limit = queue.of(r).limit,
                       .weight = queue.of(r).weight,
                       .request = requested_[q][index(r)],
                       .usage = used == settings_.usage.end() ? 0 : used->second[index(r)],
                       .priority = queue.priority,
                       .age_order = static_cast<std::uint32_t>(members.size())});
  }
  fairshare::divide(total, k_value_, members);
  for (std::size_t i = 0; i < siblings.size(); ++i) fair_[siblings[i]][index(r)] = members[i].share;
}

}  // namespace muster::plugins
