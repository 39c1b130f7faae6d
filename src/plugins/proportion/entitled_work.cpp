// The amount is what fits into the bound if gangs are packed whole. Two simple packings are compared, because
// finding the best one takes exponential time. If sizes divide each other, as numbers of GPUs mostly do,
// packing the largest first is the best.
#include "plugins/proportion/entitled_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

template <class Sizes>
std::int64_t sum_of(const Sizes& sizes) {
  std::int64_t sum = 0;
  for (const auto& [size, count] : sizes) sum += size * count;
  return sum;
}

template <class Range>
std::int64_t packed(const Range& sizes, std::int64_t bound) {
  std::int64_t sum = 0;
  for (const auto& [size, count] : sizes) sum += size * std::min<std::int64_t>(count, (bound - sum) / size);
  return sum;
}

template <class Sizes>
std::int64_t most_packed(const Sizes& sizes, std::int64_t bound) {
  const auto largest_first = std::ranges::subrange(sizes.rbegin(), sizes.rend());
  return std::max(packed(sizes, bound), packed(largest_first, bound));
}

}  // namespace

bool EntitledWork::may_lose(JobId id, Entitlement by) {
  const QueueId queue = cluster_.job(id).queue;
  const Leaf& leaf = look_at(queue);
  const auto known = leaf.jobs.find(id);
  if (known == leaf.jobs.end()) return true;
  // A surplus pod comes after the minimum.
  std::array<Sizes, 3> after = leaf.sizes;
  add({known->second.parts.back()}, after, -1);
  return keeps(queue, leaf, after, by);
}

bool EntitledWork::keeps(QueueId queue, std::span<const JobId> losers, Entitlement by) {
  const Leaf& leaf = leaves_[queue];
  std::array<Sizes, 3> after = leaf.sizes;
  for (JobId loser : losers) {
    const auto known = leaf.jobs.find(loser);
    if (known == leaf.jobs.end()) continue;
    add(known->second.parts, after, -1);
    add(parts_of(loser), after, +1);
  }
  return keeps(queue, leaf, after, by);
}

// Only the resources above their bound matter: the queue is entitled to all of the others. If the queue still
// uses its bound afterwards, it has lost nothing that it needs.
bool EntitledWork::keeps(QueueId queue, const Leaf& leaf, const std::array<Sizes, 3>& after,
                         Entitlement by) const {
  bool exceeds = false;
  for (Accounted r : kAccounted) {
    const std::int64_t most = bound(queue, r, by);
    if (leaf.held.units[index(r)] <= most) continue;
    exceeds = true;
    if (sum_of(after[index(r)]) >= most) continue;
    if (most_packed(after[index(r)], most) < most_packed(leaf.sizes[index(r)], most)) return false;
  }
  return exceeds;
}

std::int64_t EntitledWork::bound(QueueId queue, Accounted r, Entitlement by) const {
  const double share =
      by == Entitlement::kShare ? shares_.fair(queue)[index(r)] : cluster_.queue(queue).of(r).quota;
  if (share == fairshare::kUnlimited) return kNoBound;
  constexpr double kRounding = 1e-6;  // shares are doubles
  const double units = share * (r == Accounted::kGpus ? static_cast<double>(kOneGpu) : 1) + kRounding;
  return units >= 9e18 ? kNoBound : static_cast<std::int64_t>(std::floor(units));
}

// ---------------------------------------------------------------- the work of a queue

EntitledWork::Leaf& EntitledWork::look_at(QueueId queue) {
  Leaf& leaf = leaves_[queue];
  const bool was_withdrawn =
      session_.decisions.binds.size() < leaf.binds || session_.pipelined().size() < leaf.nominations;
  if (!leaf.is_known || was_withdrawn) collect(queue, leaf);
  add_placed(queue, leaf);
  if (leaf.held == cluster_.use(queue).allocated) return leaf;
  for (auto& [id, known] : leaf.jobs)
    if (known.version != cluster_.job(id).version) count(id, leaf);
  leaf.held = cluster_.use(queue).allocated;
  return leaf;
}

void EntitledWork::collect(QueueId queue, Leaf& leaf) {
  leaf = {.is_known = true, .held = cluster_.use(queue).allocated};
  for (JobId j : ids(cluster_.jobs()))
    if (const Job& job = cluster_.job(j); job.queue == queue && job.counts.active_allocated() > 0)
      count(j, leaf);
}

void EntitledWork::add_placed(QueueId queue, Leaf& leaf) {
  const auto note = [&](TaskId t) {
    const JobId id = cluster_.task(t).job;
    const auto known = leaf.jobs.find(id);
    if (cluster_.job(id).queue == queue &&
        (known == leaf.jobs.end() || known->second.version != cluster_.job(id).version))
      count(id, leaf);
  };
  for (const auto& binds = session_.decisions.binds; leaf.binds < binds.size();)
    note(binds[leaf.binds++].task);
  for (const auto tasks = session_.pipelined(); leaf.nominations < tasks.size();)
    note(tasks[leaf.nominations++]);
}

void EntitledWork::count(JobId id, Leaf& leaf) const {
  KnownJob& known = leaf.jobs[id];
  add(known.parts, leaf.sizes, -1);
  known = {cluster_.job(id).version, parts_of(id)};
  add(known.parts, leaf.sizes, +1);
}

EntitledWork::Parts EntitledWork::parts_of(JobId id) const {
  Parts parts(1);
  const std::vector<PodSet>& sets = cluster_.job(id).pod_sets;
  for (std::uint32_t set = 0; set < sets.size(); ++set) {
    std::int32_t taken = 0;
    for (TaskId t : session_.ordered_tasks(id, set)) {
      const Placement& at = cluster_.placement(t);
      if (!in(at.status, kActiveAllocated)) continue;
      const Charge charge = cluster_.accepted(cluster_.shape_of(t), at.node);
      if (taken++ < sets[set].minimum)
        parts.front() += charge;
      else
        parts.push_back(charge);
    }
  }
  return parts;
}

void EntitledWork::add(const Parts& parts, std::array<Sizes, 3>& sizes, std::int32_t times) {
  for (const Charge& part : parts)
    for (Accounted r : kAccounted) {
      const std::int64_t size = part.units[index(r)];
      if (size <= 0) continue;
      const auto known = sizes[index(r)].try_emplace(size).first;
      known->second += times;
      if (known->second == 0) sizes[index(r)].erase(known);
    }
}

}  // namespace muster::plugins
