// Computes the core of semi-preemptible jobs: the resources that their minimum holds. Updates it pod by pod.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "model/cluster.hpp"

namespace muster {
namespace {

bool stands(const Placement& at) { return in(at.status, kActiveAllocated) && at.node.valid(); }

// Orders tasks by properties that never change: role, task priority, creation time, uid.
auto rank_of(const Task& t) {
  std::int64_t priority = 0;
  const bool has_priority =
      t.task_priority && !t.task_priority->empty() &&
      std::from_chars(t.task_priority->data(), t.task_priority->data() + t.task_priority->size(), priority)
              .ec == std::errc();
  return std::tuple(!t.leads_kubeflow, !t.leads_ray, !has_priority, -priority, t.created,
                    std::string_view(t.uid));
}

// Keeps the `count` elements with the smallest keys, in any order.
template <class T, class Key>
void keep_first(std::vector<T>& all, std::int32_t count, Key key) {
  const std::ptrdiff_t kept = std::max(0, count);
  if (kept >= std::ssize(all)) return;
  std::vector<std::pair<decltype(key(all.front())), T>> keyed;
  for (const T& t : all) keyed.emplace_back(key(t), t);
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (kept > 0) std::nth_element(keyed.begin(), keyed.begin() + kept - 1, keyed.end(), by_key);
  all.clear();
  for (std::ptrdiff_t i = 0; i < kept; ++i) all.push_back(keyed[static_cast<std::size_t>(i)].second);
}

// Whether some set above the pod set needs only part of its members.
bool some_are_chosen(const Job& job, const PodSet& pods) {
  for (std::uint32_t at = pods.parent;; at = job.sets[at].parent) {
    if (job.sets[at].required() < std::ssize(job.sets[at].members)) return true;
    if (at == 0) return false;
  }
}

}  // namespace

Charge Cluster::charged_at(TaskId t, const Placement& at) const {
  return stands(at) && nodes_[at.node].present ? accepted(shape_of(t), at.node) : Charge{};
}

void Cluster::settle_core(JobId id) {
  Job& job = jobs_.job(id);
  const bool counts = job.is_semi_preemptible() && queues_.counts(job.queue);
  for (PodSet& p : job.pod_sets) p.core = counts ? core_in(p) : PodSet::Core{};
  set_core(job, counts ? core_of(job, kRoot) : Charge{});
}

// Updates the pod set's own core first. The job's core follows from it, unless the job needs only some of its
// pod sets.
void Cluster::settle_core(const SetOfJob& of, TaskId t, const Placement& from, const Placement& to) {
  Job& job = jobs_.job(of.job);
  if (!job.is_semi_preemptible() || !queues_.counts(job.queue)) return;
  PodSet& set = job.pod_sets[of.pod_set];
  const bool stays = stands(from) == stands(to) && (!stands(from) || from.node == to.node);
  if (stays && set.core.minimum == set.minimum) return;
  const Charge before = set.core.held;
  const bool was_known = set.core.is_known;
  if (!was_known || set.core.minimum != set.minimum || !follow(set, t, from, to)) set.core = core_in(set);
  if (!was_known || some_are_chosen(job, set)) return set_core(job, core_of(job, kRoot));
  Charge core = job.core;
  core -= before;
  core += set.core.held;
  set_core(job, core);
}

// Updates the known core of the pod set for the change of one task. Returns false if it must be recomputed.
bool Cluster::follow(PodSet& set, TaskId t, const Placement& from, const Placement& to) {
  PodSet::Core& core = set.core;
  const std::int32_t change = static_cast<int>(stands(to)) - static_cast<int>(stands(from));
  const std::int32_t most = std::max(core.standing, core.standing + change);
  if (most > core.minimum && core.minimum > 0) {
    if (!core.last.valid()) return false;
    const bool is_outside = rank_of(task(core.last)) < rank_of(task(t));
    if (is_outside) core.standing += change;
    return is_outside;
  }
  core.standing += change;
  if (core.minimum <= 0) return true;
  core.held -= charged_at(t, from);
  core.held += charged_at(t, to);
  core.last = {};
  return true;
}

// The core: the first tasks on nodes by rank, up to the minimum.
PodSet::Core Cluster::core_in(const PodSet& set) const {
  std::vector<TaskId> tasks;
  for (TaskId t : set.tasks)
    if (stands(placement(t))) tasks.push_back(t);
  PodSet::Core core{
      .minimum = set.minimum, .standing = static_cast<std::int32_t>(tasks.size()), .is_known = true};
  keep_first(tasks, set.minimum, [&](TaskId t) { return rank_of(task(t)); });
  for (TaskId t : tasks) core.held += charged_at(t, placement(t));
  if (!tasks.empty() && core.standing >= set.minimum)
    core.last = *std::ranges::max_element(
        tasks, [&](TaskId a, TaskId b) { return rank_of(task(a)) < rank_of(task(b)); });
  return core;
}

Charge Cluster::core_of(const Job& job, const Member& member) const {
  if (member.is_pod_set) {
    const PodSet& set = job.pod_sets[member.at];
    const bool is_kept = set.core.is_known && set.core.minimum == set.minimum;
    return is_kept ? set.core.held : core_in(set).held;
  }
  const GroupSet& set = job.sets[member.at];
  std::vector<Member> members = set.members;
  keep_first(members, set.required(), [&](const Member& m) {
    return std::pair(!is_satisfied(job, m),
                     std::string_view(m.is_pod_set ? job.pod_sets[m.at].name : job.sets[m.at].name));
  });
  Charge sum;
  for (const Member& m : members) sum += core_of(job, m);
  return sum;
}

void Cluster::set_core(Job& job, const Charge& core) {
  if (core == job.core) return;
  queues_.change_up(job.queue, [&](QueueUse& use) {
    use.non_preemptible -= job.core;
    use.non_preemptible += core;
  });
  job.core = core;
}

void Cluster::drop_core(Job& job) {
  if (job.queue.valid())
    queues_.change_up(job.queue, [&](QueueUse& use) { use.non_preemptible -= job.core; });
  job.core = {};
}

}  // namespace muster
