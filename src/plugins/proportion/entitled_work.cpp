// The amount is what fits into the bound if gangs are packed whole. Two simple packings are compared, because
// finding the best one takes exponential time. If sizes divide each other, as numbers of GPUs mostly do,
// packing the largest first is the best.
#include "plugins/proportion/entitled_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
  const Charge& part = known->second.parts.back();  // a surplus pod comes after the minimum
  Charge held = leaf.held;
  held -= part;
  if (const auto keeps = keeps_by_sums(queue, held, by)) return *keeps;
  std::array<Sizes, 3> after = leaf.sizes;
  add({part}, after, -1);
  return keeps_packed(queue, after, by);
}

bool EntitledWork::keeps(QueueId queue, std::span<const JobId> losers, Entitlement by) {
  if (const auto keeps = keeps_by_sums(queue, cluster_.use(queue).allocated, by)) return *keeps;
  const Leaf& leaf = leaves_[queue];
  std::array<Sizes, 3> after = leaf.sizes;
  for (JobId loser : losers) {
    const auto known = leaf.jobs.find(loser);
    if (known == leaf.jobs.end()) continue;
    add(known->second.parts, after, -1);
    add(parts_of(loser), after, +1);
  }
  return keeps_packed(queue, after, by);
}

// Only the resources above their bound matter: the queue is entitled to all of the others. If the queue still
// uses its bound afterwards, it has lost nothing that it needs. Returns nothing if packing has to decide.
std::optional<bool> EntitledWork::keeps_by_sums(QueueId queue, const Charge& after, Entitlement by) const {
  bool exceeds = false, crosses = false;
  for (Accounted r : kAccounted) {
    const std::int64_t most = bound(queue, r, by);
    if (leaves_[queue].held.units[index(r)] <= most) continue;
    exceeds = true;
    crosses = crosses || after.units[index(r)] < most;
  }
  return crosses ? std::nullopt : std::optional(exceeds);
}

bool EntitledWork::keeps_packed(QueueId queue, const std::array<Sizes, 3>& after, Entitlement by) const {
  const Leaf& leaf = leaves_[queue];
  return std::ranges::all_of(kAccounted, [&](Accounted r) {
    const std::int64_t most = bound(queue, r, by);
    const Sizes &had = leaf.sizes[index(r)], &keeps = after[index(r)];
    return leaf.held.units[index(r)] <= most || sum_of(keeps) >= most ||
           most_packed(keeps, most) >= most_packed(had, most);
  });
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
  if (collected_in_ != session_.actions()) collect();
  add_placed();
  Leaf& leaf = leaves_[queue];
  for (JobId id : std::exchange(leaf.uncounted, {})) count(id, leaf);
  if (leaf.held == cluster_.use(queue).allocated) return leaf;
  for (auto& [id, known] : leaf.jobs)
    if (known.version != cluster_.job(id).version) count(id, leaf);
  leaf.held = cluster_.use(queue).allocated;
  return leaf;
}

// One pass for all queues. Other actions, and the end of a round, may have changed anything.
void EntitledWork::collect() {
  collected_in_ = session_.actions();
  leaves_.assign(cluster_.queues().size(), {});
  for (JobId j : ids(cluster_.jobs()))
    if (const Job& job = cluster_.job(j); job.queue.valid() && job.counts.active_allocated() > 0)
      leaves_[job.queue].uncounted.push_back(j);
  binds_ = session_.decisions.binds.size();
  nominations_ = session_.pipelined().size();
}

void EntitledWork::add_placed() {
  const auto note = [&](TaskId t) {
    const JobId id = cluster_.task(t).job;
    leaves_[cluster_.job(id).queue].uncounted.push_back(id);
  };
  for (const auto& binds = session_.decisions.binds; binds_ < binds.size();) note(binds[binds_++].task);
  for (const auto tasks = session_.pipelined(); nominations_ < tasks.size();) note(tasks[nominations_++]);
}

void EntitledWork::count(JobId id, Leaf& leaf) const {
  KnownJob& known = leaf.jobs[id];
  if (known.version == cluster_.job(id).version) return;
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
