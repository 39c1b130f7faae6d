// Turns specs into objects, and decisions into text.
#include "tests/test_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "engine/cycle/run_cycle.hpp"
#include "model/holders.hpp"
#include "model/reason_text.hpp"
#include "policy/policy.hpp"

namespace muster {
namespace {

constexpr const char* kNamespace = "default";

std::vector<NamedAmount> amounts_of(double cpu, double memory_gb, int gpus, std::vector<NamedAmount> extra) {
  std::vector<NamedAmount> amounts = {{"cpu", std::llround(cpu * 1000)},
                                      {"memory", std::llround(memory_gb * 1e9)},
                                      {"nvidia.com/gpu", gpus * kOneGpu}};
  amounts.insert(amounts.end(), extra.begin(), extra.end());
  std::erase_if(amounts, [](const NamedAmount& a) { return a.units == 0; });
  return amounts;
}

GpuRequest gpu_request(const TaskSpec& spec) {
  if (spec.fraction > 0)
    return {.type = GpuRequestType::kFraction, .devices = spec.devices, .portion = spec.fraction};
  if (spec.gpu_memory > 0)
    return {.type = GpuRequestType::kGpuMemory, .devices = spec.devices, .memory_mib = spec.gpu_memory};
  const bool is_mig = std::any_of(spec.extra.begin(), spec.extra.end(),
                                  [](const NamedAmount& a) { return a.name.starts_with("nvidia.com/mig-"); });
  return {.type = is_mig ? GpuRequestType::kMig : GpuRequestType::kRegular, .devices = spec.gpus};
}

PodObject pod_of(const TaskSpec& spec, Meta meta) {
  const bool is_shared = spec.fraction > 0 || spec.gpu_memory > 0;
  PodObject pod{.meta = std::move(meta)};
  pod.scheduler = "kai-scheduler";
  pod.sub_group = spec.sub_group;
  pod.task_priority = spec.task_priority;
  pod.requests = amounts_of(spec.cpu, spec.memory_gb, is_shared ? 0 : spec.gpus, spec.extra);
  pod.gpu = gpu_request(spec);
  pod.constraints = spec.constraints;
  return pod;
}

TaskSpec shape_of(const JobSpec& job) {
  return {.gpus = job.gpus,
          .cpu = job.cpu,
          .memory_gb = job.memory_gb,
          .fraction = job.fraction,
          .gpu_memory = job.gpu_memory,
          .devices = job.devices,
          .constraints = job.constraints};
}

PodGroupObject pod_group_of(const JobSpec& spec, Meta meta) {
  PodGroupObject group{.meta = std::move(meta)};
  group.queue = spec.queue;
  group.priority_class = "priority-" + std::to_string(spec.priority);
  if (spec.preemptible) group.preemptibility = *spec.preemptible ? "preemptible" : "non-preemptible";
  if (spec.preemptibility) group.preemptibility = *spec.preemptibility;
  group.preemption_delay = spec.preemption_delay;
  group.expected_runtime = spec.expected_runtime;
  group.requeue_delay = spec.requeue_delay;
  group.requeue_not_before = spec.requeue_not_before;
  group.requeued_at = spec.requeued_at;
  group.min_member = spec.min.value_or(spec.tasks);
  group.min_sub_group = spec.min_sub_group;
  for (const SubGroupSpec& g : spec.groups)
    group.sub_groups.push_back({.name = g.name,
                                .parent = g.parent,
                                .min_member = g.min,
                                .min_sub_group = g.min_sub_group,
                                .topology = g.topology});
  group.topology = spec.topology;
  return group;
}

// Task names with their sub groups.
std::vector<std::pair<std::string, std::string>> tasks_of(const std::string& job, const JobSpec& spec) {
  std::vector<std::pair<std::string, std::string>> tasks;
  if (spec.groups.empty())
    for (int i = 0; i < spec.tasks; ++i) tasks.emplace_back(job + "-" + std::to_string(i), "");
  for (const SubGroupSpec& g : spec.groups)
    for (int i = 0; i < g.tasks; ++i)
      tasks.emplace_back(job + "-" + g.name + "-" + std::to_string(i), g.name);
  return tasks;
}

}  // namespace

TestCluster::TestCluster(Config config)
    : config_(std::move(config)),
      cluster_(policy::cluster_options(config_.params)),
      now_(*parse_time("2025-06-01T12:00:00Z")) {
  std::vector<Error> errors;
  policy_ = policy::make_policy(config_, errors);
  if (!errors.empty()) throw std::invalid_argument("the test's configuration: " + errors.front().message);
  queue("default");
}

// Objects without an age are one second apart; the first is ten hours old.
Meta TestCluster::meta(const std::string& name, std::optional<Duration> age) {
  const TimePoint created = age ? now_ - *age : now_ - 10h + std::chrono::seconds(++named_);
  return {.ns = kNamespace, .name = name, .uid = name, .created = created};
}

TestCluster& TestCluster::node(const std::string& name, const NodeSpec& spec) {
  NodeObject object{.meta = {.name = name, .uid = name, .labels = spec.labels}};
  if (spec.gpu_memory > 0)
    object.meta.labels.emplace_back("nvidia.com/gpu.memory", std::to_string(spec.gpu_memory));
  object.allocatable = amounts_of(spec.cpu, spec.memory_gb, spec.gpus, spec.extra);
  object.allocatable.push_back({"pods", spec.pods});
  object.taints = spec.taints;
  object.conditions.unschedulable = spec.cordoned;
  cluster_.apply(std::move(object));
  return *this;
}

TestCluster& TestCluster::queue(const std::string& name, const QueueSpec& spec) {
  QueueObject object{.meta = meta(name, spec.age), .parent_name = spec.parent, .priority = spec.priority};
  object.meta.ns = "";
  object.cpu = spec.cpu;
  object.memory = spec.memory;
  object.gpu = {.quota = spec.deserved, .limit = spec.limit, .weight = spec.weight};
  object.preempt_min_runtime = spec.preempt_min_runtime;
  object.reclaim_min_runtime = spec.reclaim_min_runtime;
  object.expected_runtime = spec.expected_runtime;
  object.requeue_delay = spec.requeue_delay;
  cluster_.apply(std::move(object));
  return *this;
}

TestCluster& TestCluster::topology(const std::string& name, const std::vector<std::string>& levels) {
  TopologyObject object{.meta = {.name = name}};
  for (const std::string& label : levels) object.levels.push_back({.label = label});
  cluster_.apply(std::move(object));
  return *this;
}

TestCluster& TestCluster::pending(const std::string& name, const JobSpec& spec) {
  add_job(name, spec, {});
  return *this;
}

TestCluster& TestCluster::gated(const std::string& name, const JobSpec& spec) {
  add_job(name, spec, {.gated = true});
  return *this;
}

TestCluster& TestCluster::running(const std::string& name, const JobSpec& spec) {
  add_job(name, spec, {.phase = PodPhase::kRunning});
  return *this;
}

TestCluster& TestCluster::terminating(const std::string& name, JobSpec spec) {
  if (!spec.deleted) spec.deleted = 1s;
  add_job(name, spec, {.phase = PodPhase::kRunning});
  return *this;
}

void TestCluster::add_job(const std::string& name, const JobSpec& spec, const Standing& standing) {
  const std::string priority = "priority-" + std::to_string(spec.priority);
  cluster_.apply(PriorityClassObject{.meta = {.name = priority}, .value = spec.priority});
  PodGroupObject group = pod_group_of(spec, meta(name, spec.age));
  const TimePoint created = group.meta.created;
  if (standing.phase == PodPhase::kRunning && spec.is_start_known) group.last_start = created;
  cluster_.apply(std::move(group));
  add_tasks(name, spec, standing, created);
}

void TestCluster::add_tasks(const std::string& name, const JobSpec& spec, const Standing& standing,
                            TimePoint created) {
  std::size_t i = 0;
  for (const auto& [task, group] : tasks_of(name, spec)) {
    TaskSpec shape = shape_of(spec);
    shape.sub_group = group;
    PodObject pod = pod_of(shape, {.ns = kNamespace, .name = task, .uid = task, .created = created});
    pod.pod_group = name;
    pod.phase = standing.phase;
    pod.gated = standing.gated;
    pod.preemptibility = spec.preemptibility_label;
    if (standing.phase == PodPhase::kRunning) {
      pod.node = spec.nodes.empty() ? spec.node : spec.nodes[i % spec.nodes.size()];
      pod.gpu_groups = spec.shares;
    }
    if (spec.deleted) pod.deletion = now_ - *spec.deleted;
    cluster_.apply(std::move(pod));
    ++i;
  }
}

TestCluster& TestCluster::task(const std::string& job, const std::string& name, const TaskSpec& spec,
                               const std::string& node) {
  PodObject pod = pod_of(spec, meta(name, {}));
  pod.pod_group = job;
  pod.phase = node.empty() ? PodPhase::kPending : PodPhase::kRunning;
  pod.node = node;
  if (spec.deleted) pod.deletion = now_ - *spec.deleted;
  cluster_.apply(std::move(pod));
  return *this;
}

TestCluster& TestCluster::only(const std::vector<std::string>& actions) {
  std::erase_if(policy_.actions, [&](const std::shared_ptr<Action>& action) {
    return std::find(actions.begin(), actions.end(), action->name()) == actions.end();
  });
  return *this;
}

std::string TestCluster::cycle() {
  carry_on();
  decisions_ = run_cycle(cluster_, policy_, now_, {.selector_results = &selector_results_});
  name_holders(cluster_, decisions_.waiting);
  embedded_.carry_out(cluster_, decisions_, now_);
  is_decided_ = true;
  return text_of(cluster_, decisions_);
}

std::string TestCluster::written(const std::string& job, const std::string& key) const {
  for (const PatchDecision& p : decisions_.patches)
    if (const auto found = p.annotations.find(key);
        cluster_.job(p.job).name == job && found != p.annotations.end())
      return found->second.value_or("removed");
  return "";
}

std::string TestCluster::why(const std::string& job) const {
  std::string text;
  for (const WaitingJob& w : decisions_.waiting) {
    if (cluster_.job(w.job).name != job) continue;
    for (const JobReason& reason : w.reasons)
      text += (text.empty() ? "" : "; ") + muster::text_of(cluster_, reason);
  }
  return text;
}

void TestCluster::carry_on() {
  if (std::exchange(is_decided_, false)) embedded_.update(cluster_, now_);
}

TestCluster& TestCluster::advance(Duration by) {
  carry_on();
  now_ += by;
  return *this;
}

Session& TestCluster::open() {
  session_.reset();
  session_ = std::make_unique<Session>(cluster_, policy_, now_,
                                       CycleContext{.selector_results = &selector_results_});
  return *session_;
}

// ---------------------------------------------------------------- decisions as text

namespace {

std::string place(const Cluster& cluster, NodeId node, HoldingId holding) {
  std::string text = cluster.node(node).name;
  char separator = '/';
  for (GroupId g : cluster.groups(holding)) text += std::exchange(separator, '+') + cluster.group_name(g);
  return text;
}

template <class Placed>
void tell_placed(const Cluster& cluster, const char* verb, const std::vector<Placed>& placed,
                 std::vector<std::string>& lines) {
  std::vector<std::string> told;
  for (const Placed& p : placed)
    told.push_back(std::string(verb) + " " + cluster.task(p.task).name + " " +
                   place(cluster, p.node, p.holding));
  std::sort(told.begin(), told.end());
  lines.insert(lines.end(), told.begin(), told.end());
}

// One clause for each job that loses pods.
void tell_evicted(const Cluster& cluster, const std::vector<EvictDecision>& evictions,
                  std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> by_job;
  for (const EvictDecision& e : evictions) {
    const Task& task = cluster.task(e.task);
    by_job[task.job.valid() ? cluster.job(task.job).full_name() : ""].push_back(task.name);
  }
  for (auto& [job, tasks] : by_job) {
    std::sort(tasks.begin(), tasks.end());
    std::string line = "evict";
    for (const std::string& task : tasks) line += " " + task;
    lines.push_back(line);
  }
}

}  // namespace

std::string text_of(const Cluster& cluster, const Decisions& decisions) {
  std::vector<std::string> lines;
  tell_evicted(cluster, decisions.evictions, lines);
  tell_placed(cluster, "bind", decisions.binds, lines);
  tell_placed(cluster, "pipeline", decisions.pipelined, lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace muster
