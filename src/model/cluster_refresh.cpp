// What depends on structure: the queue tree, node capacities and order, priorities, preemptibility, totals.
#include <algorithm>
#include <cctype>

#include "model/cluster.hpp"

namespace muster {
namespace {

constexpr std::int32_t kDefaultPriority = 50;
constexpr std::int32_t kFirstNonPreemptible = 100;
constexpr const char* kFlatRoot = "default";

std::optional<Preemptibility> parse_preemptibility(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text == "preemptible") return Preemptibility::kPreemptible;
  if (text == "non-preemptible") return Preemptibility::kNonPreemptible;
  if (text == "semi-preemptible") return Preemptibility::kSemiPreemptible;
  return std::nullopt;
}

}  // namespace

void Cluster::refresh(TimePoint now) {
  now_ = now;
  for (TaskId t : terminating_.items())
    if (const Placement seen = observed_placement(t); seen.status != placements_[t].status) move(t, seen);
  refresh_devices();
  refresh_nodes();
  refresh_queues();
  refresh_jobs();
  compute_total();
}

// ---------------------------------------------------------------- nodes

void Cluster::refresh_nodes() {
  size_tables();
  if (node_list_stale_) rank_nodes();
  if (topologies_stale_) build_topologies();
  if (some_node_stale_) recount_stale_nodes();
}

void Cluster::size_tables() {
  for (auto* table : {&allocatable_, &idle_, &releasing_})
    if (table->kinds() < kinds_.size() || table->rows() < nodes_.size())
      table->resize(kinds_.size(), nodes_.size());
}

void Cluster::rank_nodes() {
  node_list_stale_ = false;
  topologies_stale_ = true;
  nodes_by_name_.clear();
  for (NodeId n : ids(nodes_))
    if (nodes_[n].present) nodes_by_name_.push_back(n);
  std::sort(nodes_by_name_.begin(), nodes_by_name_.end(),
            [&](NodeId a, NodeId b) { return nodes_[a].name < nodes_[b].name; });
  for (std::uint32_t i = 0; i < nodes_by_name_.size(); ++i) ranks_[nodes_by_name_[i]] = i;
  journal_base_ = journal_end() + 1;  // every reader starts afresh
  journal_.clear();
}

void Cluster::build_topologies() {
  topologies_stale_ = false;
  topology_trees_.clear();
  for (const auto& [name, topology] : kept_.all<TopologyObject>())
    topology_trees_.try_emplace(name, topology, nodes_, nodes_by_name_);
}

// One pass over the tasks for all nodes whose capacity changed.
void Cluster::recount_stale_nodes() {
  const IdVector<NodeId, bool> stale = node_stale_;
  some_node_stale_ = false;
  for (NodeId n : ids(nodes_)) {
    if (!stale[n]) continue;
    node_stale_[n] = false;
    nodes_[n].shared.clear();
    nodes_[n].claimed.clear();
    overdrawn_now_[n] = overdrawn_[n] = 0;
    for (std::uint32_t k = 0; k < kinds_.size(); ++k)
      allocatable_.at(Kind(k), n) = idle_.at(Kind(k), n) = releasing_.at(Kind(k), n) = 0;
    for (const Amount& a : nodes_[n].allocatable) allocatable_.at(a.kind, n) = a.units;
    if (nodes_[n].present) allocatable_.at(kGpu, n) += nodes_[n].claimable_gpus * kOneGpu;
    for (std::uint32_t k = 0; k < kinds_.size(); ++k) idle_.at(Kind(k), n) = allocatable_.at(Kind(k), n);
    touch(n);
  }
  for (TaskId t : ids(tasks_)) {
    const Placement& at = placements_[t];
    if (!at.node.valid() || !in(at.status, kActiveUsed)) continue;
    const Task& task = tasks_[t];
    const Shape& shape = shapes_[task.shape];
    if (stale[at.node]) account_node(shape, task.is_reservation, at.node, at.status, at.groups, +1);
    if (at.leaving.valid() && stale[at.leaving])
      account_node(shape, task.is_reservation, at.leaving, TaskStatus::kReleasing, at.leaving_groups, +1);
    if (at.passing.valid() && stale[at.passing])
      account_node(shape, task.is_reservation, at.passing, TaskStatus::kReleasing, at.passing_groups, +1);
  }
}

void Cluster::compute_total() {
  total_ = {};
  smallest_gpu_ = largest_gpu_ = 0;
  for (NodeId n : nodes_by_name_) {
    const Node& node = nodes_[n];
    if (node.gpu_memory_known && node.gpu_memory > 100 && allocatable_.at(kGpu, n) > 0) {
      smallest_gpu_ = smallest_gpu_ == 0 ? node.gpu_memory : std::min(smallest_gpu_, node.gpu_memory);
      largest_gpu_ = std::max(largest_gpu_, node.gpu_memory);
    }
    if (!node.usable()) continue;
    const bool hides_gpus =
        options_.restrict_node_scheduling && node.label(options_.gpu_worker_label) == nullptr;
    Charge offered;
    offered.units = {allocatable_.at(kCpu, n), allocatable_.at(kMemory, n),
                     hides_gpus ? 0 : allocatable_.at(kGpu, n)};
    for (const Amount& a : node.allocatable)
      if (!hides_gpus) offered.units[2] += mig_gpus(kinds_.name(a.kind)) * a.units * kOneGpu;
    total_ += offered;
    total_ -= foreign_[n];
  }
}

// ---------------------------------------------------------------- queues

void Cluster::refresh_queues() {
  if (!queues_stale_) return;
  build_queue_tree();
  queues_stale_ = false;
  recount_queues();
}

void Cluster::build_queue_tree() {
  if (!options_.full_hierarchy) mention_queue(kFlatRoot);
  for (QueueId q : ids(queues_)) {
    queues_[q].children.clear();
    queues_[q].parent = {};
    queues_[q].usable = false;
    queues_[q].depth = 0;
  }
  const QueueId flat_root = options_.full_hierarchy ? QueueId() : find_queue(kFlatRoot);
  if (flat_root.valid()) {
    Queue& root = queues_[flat_root];
    root.present = true;
    root.parent_name.clear();
    root.cpu = root.memory = root.gpu = {.quota = -1, .limit = -1, .weight = 1};
    root.priority = 100;
  }
  std::vector<QueueId> present;
  for (QueueId q : ids(queues_)) {
    Queue& queue = queues_[q];
    if (!queue.present) continue;
    if (flat_root.valid() && q != flat_root && queue.parent_name.empty()) continue;
    if (flat_root.valid() && q != flat_root) queue.parent = flat_root;
    if (!flat_root.valid() && !queue.parent_name.empty()) queue.parent = find_queue(queue.parent_name);
    const bool orphan = !queue.parent_name.empty() && !flat_root.valid() &&
                        (!queue.parent.valid() || !queues_[queue.parent].present);
    if (orphan)
      warn("Queue " + queue.name, "spec.parentQueue",
           "queue \"" + queue.parent_name + "\" does not exist; this queue and all below it are left out");
    else
      present.push_back(q);
  }
  std::sort(present.begin(), present.end(), [&](QueueId a, QueueId b) {
    return std::pair(queues_[a].meta.created, std::string_view(queues_[a].name)) <
           std::pair(queues_[b].meta.created, std::string_view(queues_[b].name));
  });
  // From the top down: what is never reached hangs on a missing queue or on a cycle.
  top_queues_.clear();
  std::vector<QueueId> reached;
  for (QueueId q : present)
    if (!queues_[q].parent.valid()) top_queues_.push_back(q), reached.push_back(q);
  for (QueueId q : present)
    if (queues_[q].parent.valid()) queues_[queues_[q].parent].children.push_back(q);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    Queue& queue = queues_[reached[i]];
    queue.usable = true;
    for (QueueId child : queue.children) {
      queues_[child].depth = queue.depth + 1;
      reached.push_back(child);
    }
  }
  for (QueueId q : present) {
    if (queues_[q].usable) continue;
    QueueId at = q;
    for (std::size_t steps = 0; at.valid() && steps <= queues_.size(); ++steps) at = queues_[at].parent;
    if (at.valid())
      warn("Queue " + queues_[q].name, "spec.parentQueue",
           "the queue is its own ancestor; it and all below it are left out");
  }
}

void Cluster::recount_queues() {
  for (QueueUse& use : uses_) use = {};
  for (JobId j : ids(jobs_)) jobs_[j].core = {};
  for (TaskId t : ids(tasks_))
    if (tasks_[t].in_job()) account_queue(tasks_[t], placements_[t], +1);
  for (JobId j : ids(jobs_)) settle_core(j);
}

// ---------------------------------------------------------------- jobs

std::int32_t Cluster::class_value(const std::string& name) const {
  if (const auto* found = kept_.find<PriorityClassObject>(name)) return found->value;
  for (const auto& [other, object] : kept_.all<PriorityClassObject>())
    if (object.global_default) return object.value;
  return kDefaultPriority;
}

void Cluster::refresh_jobs() {
  if (std::exchange(classes_stale_, false))
    for (JobId j : ids(jobs_)) unresolved_jobs_.insert(j);
  for (JobId j : unresolved_jobs_.items()) resolve(j);
  unresolved_jobs_.clear();
}

// Priority, then preemptibility by the order of preemptibility.md.
void Cluster::resolve(JobId id) {
  Job& job = jobs_[id];
  job.priority = class_value(job.priority_class);
  Preemptibility mode =
      job.priority < kFirstNonPreemptible ? Preemptibility::kPreemptible : Preemptibility::kNonPreemptible;
  PreemptibilitySource source = PreemptibilitySource::kPriority;
  std::vector<TaskId> members;
  if (options_.compatibility.labels_decide_preemptibility)
    for (const PodSet& p : job.pod_sets) members.insert(members.end(), p.tasks.begin(), p.tasks.end());
  std::sort(members.begin(), members.end(), [&](TaskId a, TaskId b) {
    return std::pair(tasks_[a].created, std::string_view(tasks_[a].name)) <
           std::pair(tasks_[b].created, std::string_view(tasks_[b].name));
  });
  const auto first_valid = [&](auto text_of) -> std::optional<Preemptibility> {
    for (TaskId t : members)
      if (const auto value = parse_preemptibility(text_of(tasks_[t]))) return value;
    return std::nullopt;
  };
  const auto owner_label = [&](const Task& t) { return owners_.top_preemptibility(t.owner); };
  const auto pod_label = [](const Task& t) { return t.preemptibility; };
  if (const auto spec = parse_preemptibility(job.preemptibility_spec))
    mode = *spec, source = PreemptibilitySource::kSpec;
  else if (const auto owner = first_valid(owner_label))
    mode = *owner, source = PreemptibilitySource::kOwnerLabel;
  else if (const auto pod = first_valid(pod_label))
    mode = *pod, source = PreemptibilitySource::kPodLabel;
  if (!job.preemptibility_spec.empty() && source != PreemptibilitySource::kSpec)
    warn("PodGroup " + job.full_name(), "spec.preemptibility",
         "\"" + job.preemptibility_spec +
             "\" is none of preemptible, non-preemptible, semi-preemptible; ignored");
  job.preemptibility_source = source;
  if (mode == job.preemptibility) return;
  const auto each_task = [&](int sign) {
    for (const PodSet& p : job.pod_sets)
      for (TaskId t : p.tasks) account_queue(tasks_[t], placements_[t], sign);
  };
  each_task(-1);
  job.preemptibility = mode;
  settle_core(id);
  each_task(+1);
}

}  // namespace muster
