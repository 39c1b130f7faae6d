// Objects that come and go while time passes, and nodes that fail.
#include <algorithm>
#include <array>

#include "sim/timed_cluster.hpp"

namespace muster {

std::string_view name_of(Step::NodeAct act) {
  constexpr std::array<std::string_view, 7> names{"",     "cordon", "uncordon", "drain",
                                                  "fail", "repair", "remove"};
  return names[static_cast<std::size_t>(act)];
}

// ---------------------------------------------------------------- objects

void TimedCluster::apply(Object&& object) {
  note_news();
  has_more_news_ = true;
  if (auto* pod = std::get_if<PodObject>(&object)) return apply_pod(std::move(*pod));
  if (auto* group = std::get_if<PodGroupObject>(&object)) return apply_group(std::move(*group));
  if (auto* node = std::get_if<NodeObject>(&object)) {
    const std::string name = node->meta.name;
    const bool is_new = !agenda_.nodes.contains(name);
    agenda_.nodes[name] = *node;
    set_node(*node);
    if (is_new) report_node(name, "add");
    if (is_new) add_clock(name);
    follow(name);
    return;
  }
  cluster_.apply(std::move(object));
}

void TimedCluster::apply_pod(PodObject&& pod) {
  const Work work = pod.work;
  const TaskId id = cluster_.apply(std::move(pod));
  const Task& task = cluster_.task(id);
  const bool is_of_job = task.job.valid() && cluster_.job(task.job).present;
  if (const auto known = by_task_.find(id); known != by_task_.end()) {
    auto [entry, place] = known->second;
    touch(*entry);
    if (entry->job == (is_of_job ? task.job : JobId())) {
      entry->pods[place].work = work;
      return plan_work(*entry, entry->pods[place], place);
    }
    leave(*entry, place);
  }
  Entry& entry = is_of_job ? entry_of(task.job) : entry_of_lone(id);
  add_pod(entry, id, work);
}

// The pods of the group may have been created before it.
void TimedCluster::apply_group(PodGroupObject&& group) {
  const Work work = group.work;
  const std::string ns = group.meta.ns, name = group.meta.name;
  cluster_.apply(Object(std::move(group)));
  const JobId id = cluster_.find_job(ns, name);
  if (!id.valid() || !cluster_.job(id).present) return;
  const bool is_new = !by_job_.contains(id);
  Entry& entry = entry_of(id);
  touch(entry);
  if (is_new) report_submit(entry);
  entry.work = work;
  for (JobRun::Pod p = 0; p < entry.pods.size(); ++p)
    if (!entry.run.is_gone(p)) plan_work(entry, entry.pods[p], p);
  if (cluster_.job(id).queue != entry.queue) move_to_queue(entry, cluster_.job(id).queue);
  for (TaskId t : cluster_.job_table().members(id)) {
    const auto lone = by_task_.find(t);
    if (lone != by_task_.end() && lone->second.entry->job.valid()) continue;
    const Work own = lone == by_task_.end() ? Work{} : lone->second.entry->pods[lone->second.pod].work;
    if (lone != by_task_.end()) leave(*lone->second.entry, lone->second.pod);
    add_pod(entry, t, own);
  }
}

void TimedCluster::move_to_queue(Entry& entry, QueueId to) {
  const std::int64_t held = entry.run.gpus_held();
  meters_.hold(entry.queue, -held);
  meters_.hold(to, held);
  entry.queue = to;
  entry.outcome.queue = cluster_.job(entry.job).queue_name;
}

void TimedCluster::remove(std::string_view kind, const std::string& ns, const std::string& name) {
  note_news();
  has_more_news_ = true;
  if (kind == PodObject::kKind) {
    if (const TaskId task = cluster_.find_task(ns, name); task.valid()) remove_pod(task);
  } else if (kind == PodGroupObject::kKind) {
    if (const JobId job = cluster_.find_job(ns, name); job.valid() && by_job_.contains(job))
      remove_job(*by_job_[job]);
  } else if (kind == NodeObject::kKind) {
    act_on(name, Step::NodeAct::kRemove);
  } else {
    cluster_.remove(kind, ns, name);
  }
}

void TimedCluster::remove_pod(TaskId task) {
  const auto found = by_task_.find(task);
  if (found == by_task_.end()) return;
  auto [entry, pod] = found->second;
  touch(*entry);
  const std::string ns = entry->pods[pod].ns, name = entry->pods[pod].name;
  cluster_.release_claims(task);
  leave(*entry, pod);
  cluster_.remove(PodObject::kKind, ns, name);
}

// The job continues without the pod; the entry of a pod without a job is removed with it.
void TimedCluster::leave(Entry& entry, JobRun::Pod pod) {
  if (entry.run.has_place(pod)) release(entry, pod);
  entry.run.remove(pod);
  by_task_.erase(entry.pods[pod].task);
  entry.pods[pod].task = TaskId();
  entry.outcome.gpus -= entry.run.plan(pod).gpus;
  if (!entry.job.valid()) drop(entry);
}

// The job was deleted before its end: it neither finished nor failed.
void TimedCluster::remove_job(Entry& entry) {
  touch(entry);
  for (JobRun::Pod p = 0; p < entry.run.pods(); ++p) {
    PodFacts& facts = entry.pods[p];
    if (entry.run.is_gone(p)) continue;
    if (entry.run.has_place(p)) release(entry, p);
    entry.run.remove(p);
    cluster_.release_claims(facts.task);
    by_task_.erase(facts.task);
    facts.task = TaskId();
    cluster_.remove(PodObject::kKind, facts.ns, facts.name);
  }
  const Job& job = cluster_.job(entry.job);
  const std::string ns = job.ns, name = job.name;
  cluster_.remove(PodGroupObject::kKind, ns, name);
  entry.outcome.deleted = now_;
  forget(entry);
}

// ---------------------------------------------------------------- nodes

void TimedCluster::take_over_nodes() {
  count_capacity();
  if (!options_.node_mtbf) return;
  for (const auto& [name, node] : agenda_.nodes) add_clock(name);
}

// A node that was removed and added again keeps its clock.
void TimedCluster::add_clock(const std::string& name) {
  const auto which = static_cast<std::uint32_t>(node_clocks_.size());
  if (!options_.node_mtbf || !clock_of_.try_emplace(name, which).second) return;
  node_clocks_.push_back({.name = name});
  plan_failure(which);
}

void TimedCluster::plan_failure(std::uint32_t which) {
  NodeClock& clock = node_clocks_[which];
  const Duration after = std::max(
      Duration(1), exponential(*options_.node_mtbf,
                               random_bits(options_.seed, clock.name, "node failure", clock.failures++)));
  failures_.plan(now_ + after, EventKind::kNodeFails, which);
}

bool TimedCluster::is_up(const std::string& node) const {
  const auto found = agenda_.nodes.find(node);
  return found != agenda_.nodes.end() && !found->second.conditions.not_ready;
}

// Only nodes that are up can fail.
void TimedCluster::fail_at_random(std::uint32_t which) {
  NodeClock& clock = node_clocks_[which];
  clock.is_stopped = !is_up(clock.name);
  if (clock.is_stopped) return;
  clock.is_down = true;
  act_on(clock.name, Step::NodeAct::kFail);
  events_.plan(now_ + options_.node_mttr, EventKind::kNodeIsBack, which);
}

void TimedCluster::come_back(std::uint32_t which) {
  NodeClock& clock = node_clocks_[which];
  if (std::exchange(clock.is_down, false)) act_on(clock.name, Step::NodeAct::kRepair);
  plan_failure(which);
}

// A step changed whether the node is up, so a random failure is no longer repaired automatically.
void TimedCluster::follow(const std::string& node) {
  const auto which = clock_of_.find(node);
  if (which == clock_of_.end()) return;
  NodeClock& clock = node_clocks_[which->second];
  clock.is_down = false;
  if (is_up(node) && std::exchange(clock.is_stopped, false)) plan_failure(which->second);
}

void TimedCluster::set_node(const NodeObject& node) {
  cluster_.apply(NodeObject(node));
  cluster_.refresh(now_);
  count_capacity();
}

// A cordoned node still has its GPUs; a node that is down has none.
void TimedCluster::count_capacity() {
  std::int64_t nodes = 0, gpus = 0;
  for (NodeId n : cluster_.nodes_by_name()) {
    const Node& node = cluster_.node(n);
    if (node.not_ready) continue;
    ++nodes;
    gpus += cluster_.allocatable().at(kGpu, n);
    for (const Amount& a : node.allocatable)
      gpus += mig_gpus(cluster_.kinds().name(a.kind)) * a.units * kOneGpu;
  }
  meters_.set_capacity(nodes, gpus);
}

void TimedCluster::act_on(const std::string& name, Step::NodeAct act) {
  using Act = Step::NodeAct;
  const auto found = agenda_.nodes.find(name);
  if (found == agenda_.nodes.end()) return;
  note_news();
  NodeObject& node = found->second;
  const NodeId id = cluster_.find_node(name);
  report_node(name, name_of(act));
  if (act == Act::kCordon || act == Act::kDrain) node.conditions.unschedulable = true;
  if (act == Act::kUncordon) node.conditions.unschedulable = false;
  if (act == Act::kFail) node.conditions.not_ready = true;
  if (act == Act::kRepair) node.conditions.not_ready = false;
  if (act == Act::kDrain) evict_all_from(id, "drain");
  if (act == Act::kFail || act == Act::kRemove) evict_all_from(id, "nodeFailure");
  if (act != Act::kRemove) return set_node(node);
  agenda_.nodes.erase(found);
  cluster_.remove(NodeObject::kKind, "", name);
  cluster_.refresh(now_);
  count_capacity();
}

// All pods of a node lose their place: evicted by a drain, or at once with the node.
void TimedCluster::evict_all_from(NodeId node, const std::string& action) {
  std::vector<TaskId> tasks;
  for (const auto& [task, at] : by_task_)
    if (at.entry->pods[at.pod].node == node && at.entry->run.has_place(at.pod)) tasks.push_back(task);
  std::ranges::sort(tasks, {}, [&](TaskId t) {
    return std::pair(std::string_view(cluster_.task(t).ns), std::string_view(cluster_.task(t).name));
  });
  for (TaskId t : tasks) evict(t, action, nullptr, action != "drain");
}

}  // namespace muster
