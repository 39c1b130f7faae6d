// Sorts the jobs of a leaf when it is first used, and then repositions jobs one by one as they change.
#include "engine/order/victim_pool.hpp"

#include <algorithm>

namespace muster {
namespace {

std::int64_t gpus_of(const Cluster& c, JobId job) {
  std::int64_t sum = 0;
  for (const PodSet& p : c.job(job).pod_sets)
    for (TaskId t : p.tasks)
      if (const Placement& at = c.placement(t); in(at.status, kActiveAllocated) && at.node.valid())
        sum += c.accepted(c.shape_of(t), at.node).units[index(Accounted::kGpus)];
  return sum;
}

std::vector<QueueId> leaves_of(const Cluster& c) {
  std::vector<QueueId> leaves;
  if (c.options().compatibility.charge_until_gone) leaves.push_back(c.queue_tree().no_queue());
  for (QueueId q : c.queue_tree().depth_first())
    if (c.queue(q).is_leaf()) leaves.push_back(q);
  return leaves;
}

}  // namespace

VictimPool::VictimPool(Session& session)
    : session_(session),
      before_([&session](const JobEntry& a, const JobEntry& b) { return session.senior(a, b); }),
      leaves_(leaves_of(session.cluster)),
      by_queue_(session.cluster.queues().size()),
      as_of_(session.changes()) {
  listed_.reserve(session.cluster.jobs().size());
  for (JobId j : ids(session.cluster.jobs()))
    if (is_evictable(j)) insert(j);
}

VictimPool::VictimPool(Session& session, std::span<const JobId> jobs, Before before)
    : session_(session),
      before_(std::move(before)),
      members_(std::in_place, jobs.begin(), jobs.end()),
      leaves_(leaves_of(session.cluster)),
      by_queue_(session.cluster.queues().size()) {
  for (JobId j : jobs)
    if (is_evictable(j)) insert(j);
}

bool VictimPool::is_evictable(JobId id) const {
  const Job& job = session_.cluster.job(id);
  return (!members_ || members_->contains(id)) && job.preemptibility != Preemptibility::kNonPreemptible &&
         job.counts.active_allocated() > 0 && session_.cluster.is_within_reach(id);
}

std::span<const JobEntry> VictimPool::of(QueueId leaf) {
  Leaf& jobs = by_queue_[leaf];
  if (!jobs.is_sorted) std::ranges::sort(jobs.jobs(), in_victim_order());
  jobs.is_sorted = true;
  return jobs.jobs();
}

void VictimPool::update(std::span<const JobId> jobs) {
  ++version_;
  as_of_ = session_.changes();
  moved_.clear();
  for (JobId j : jobs)
    if (listed_.contains(j)) moved_.insert(j), ++by_queue_[session_.cluster.job(j).queue].moved;
  for (JobId j : jobs)
    if (listed_.contains(j)) erase_moved(by_queue_[session_.cluster.job(j).queue]);
  for (JobId j : jobs) {
    listed_.erase(j);
    if (is_evictable(j)) insert(j);
  }
}

// Jobs that moved are near the front, where victims are taken. Shifts only what precedes the last of them.
void VictimPool::erase_moved(Leaf& leaf) {
  auto end = leaf.jobs().begin();
  for (; leaf.moved > 0; ++end) leaf.moved -= moved_.contains(end->job);
  auto kept = end;
  for (auto at = end; at != leaf.jobs().begin();)
    if (--at; !moved_.contains(at->job)) *--kept = *at;
  leaf.first += static_cast<std::size_t>(kept - leaf.jobs().begin());
}

void VictimPool::insert(JobId id) {
  Leaf& leaf = by_queue_[session_.cluster.job(id).queue];
  if (leaf.largest) leaf.largest = std::max(*leaf.largest, gpus_of(session_.cluster, id));
  listed_.insert(id);
  const JobEntry entry = session_.entry(id);
  if (!leaf.is_sorted) return leaf.list.push_back(entry);
  const auto first = leaf.list.begin() + static_cast<std::ptrdiff_t>(leaf.first);
  const auto place = std::lower_bound(first, leaf.list.end(), entry, in_victim_order());
  if (leaf.first == 0 || leaf.list.end() - place < place - first) {
    leaf.list.insert(place, entry);
  } else {
    *std::move(first, place, first - 1) = entry;
    --leaf.first;
  }
}

void VictimPool::forget_bounds() {
  for (QueueId leaf : leaves_) by_queue_[leaf].largest.reset();
}

std::int64_t VictimPool::largest(QueueId leaf) {
  auto& known = by_queue_[leaf].largest;
  if (!known) {
    known = 0;
    for (const JobEntry& e : by_queue_[leaf].jobs())
      known = std::max(*known, gpus_of(session_.cluster, e.job));
  }
  return *known;
}

}  // namespace muster
