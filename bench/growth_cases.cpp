// The cases of growth.cpp.
#include "growth_cases.hpp"

#include <fmt/format.h>

namespace muster::bench {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMega = 1'000'000;
constexpr QueueAmounts kAny{.quota = -1, .limit = -1, .weight = 1};
constexpr const char* kHost = "kubernetes.io/hostname";

struct NodeMake {
  int gpus = 8;
  std::vector<Taint> taints = {};
};

NodeObject node(int i, const NodeMake& make = {}) {
  const std::string name = fmt::format("node-{:06}", i);
  return {.meta = {.name = name, .uid = name, .labels = {{kHost, name}}},
          .allocatable = {{"cpu", 128'000},
                          {"memory", 1'000'000 * kMega},
                          {"nvidia.com/gpu", make.gpus * kOneGpu},
                          {"pods", 110}},
          .taints = make.taints};
}

QueueObject queue(const std::string& name, double quota = -1) {
  return {.meta = {.name = name, .uid = name, .created = now() - seconds(86'400)},
          .parent_name = name == "top" ? "" : "top",
          .cpu = kAny,
          .memory = kAny,
          .gpu = {.quota = quota, .limit = -1, .weight = 1}};
}

struct JobMake {
  std::string name;
  std::string queue = "queue";
  int pods = 1, gpus = 1;
  int cpu = 100;             // thousandths
  std::vector<int> on = {};  // nodes of the pods, if they run
  bool is_urgent = false;
  bool has_sub_groups = false;  // one per pod
  std::optional<int> sub_groups_needed = {};
  std::optional<int> minimum = {};
  std::string preemptibility = {};
  Labels labels = {};
  Constraints constraints = {};
};

void add(const JobMake& job, int age, const ObjectSink& sink) {
  const TimePoint created = now() - seconds(1'000'000 - age);
  PodGroupObject group{.meta = {.ns = "bench", .name = job.name, .uid = job.name, .created = created},
                       .queue = job.queue,
                       .priority_class = job.is_urgent ? "urgent" : "train",
                       .preemptibility = job.preemptibility,
                       .min_member = job.minimum.value_or(job.pods)};
  group.min_sub_group = job.sub_groups_needed;
  if (job.has_sub_groups)
    for (int i = 0; i < job.pods; ++i)
      group.sub_groups.push_back({.name = fmt::format("group-{}", i), .min_member = 1});
  if (!job.on.empty()) group.last_start = now() - seconds(3'600);
  sink(std::move(group));
  for (int i = 0; i < job.pods; ++i) {
    const std::string name = fmt::format("{}-{}", job.name, i);
    PodObject pod{
        .meta = {.ns = "bench", .name = name, .uid = name, .created = created, .labels = job.labels},
        .phase = job.on.empty() ? PodPhase::kPending : PodPhase::kRunning,
        .scheduler = "kai-scheduler",
        .node = job.on.empty() ? "" : fmt::format("node-{:06}", job.on[static_cast<std::size_t>(i)]),
        .pod_group = job.name,
        .sub_group = job.has_sub_groups ? fmt::format("group-{}", i) : "",
        .requests = {{"cpu", job.cpu}, {"memory", 100 * kMega}},
        .gpu = {.devices = job.gpus},
        .constraints = job.constraints};
    if (job.gpus > 0) pod.requests.push_back({"nvidia.com/gpu", job.gpus * kOneGpu});
    sink(std::move(pod));
  }
}

void add_policy(const ObjectSink& sink) {
  sink(PriorityClassObject{.meta = {.name = "train"}, .value = 50});
  sink(PriorityClassObject{.meta = {.name = "urgent"}, .value = 75});
  sink(queue("top"));
}

void add_nodes(int nodes, const ObjectSink& sink) {
  add_policy(sink);
  sink(queue("queue"));
  for (int i = 0; i < nodes; ++i) sink(node(i));
}

// Uses all GPUs of the nodes for jobs of one GPU each.
void fill(int nodes, const ObjectSink& sink) {
  for (int i = 0; i < 8 * nodes; ++i) add({.name = fmt::format("running-{}", i), .on = {i / 8}}, i, sink);
}

Constraints keeps_away_from(const std::string& value) {
  Constraints c;
  c.pod_anti_affinity = {{.selector = {.present = true, .requirements = {{"app", Operator::kIn, {value}}}},
                          .topology_key = kHost}};
  return c;
}

// ---------------------------------------------------------------- constraints

void distinct_anti_affinity(int n, const ObjectSink& sink) {
  add_nodes(100, sink);
  for (int i = 0; i < n; ++i) {
    const std::string app = fmt::format("app-{}", i);
    add({.name = app, .labels = {{"app", app}}, .constraints = keeps_away_from(app)}, i, sink);
  }
}

void distinct_anti_affinity_full(int n, const ObjectSink& sink) {
  add_nodes(100, sink);
  fill(100, sink);
  for (int i = 0; i < n; ++i) {
    const std::string app = fmt::format("app-{}", i);
    add({.name = app, .is_urgent = true, .labels = {{"app", app}}, .constraints = keeps_away_from(app)}, i,
        sink);
  }
}

void self_anti_affinity(int n, const ObjectSink& sink) {
  add_nodes(n, sink);
  add({.name = "gang", .pods = n, .labels = {{"app", "x"}}, .constraints = keeps_away_from("x")}, 0, sink);
}

void self_anti_affinity_jobs(int n, const ObjectSink& sink) {
  add_nodes(n, sink);
  for (int i = 0; i < n; ++i)
    add({.name = fmt::format("job-{}", i), .labels = {{"app", "x"}}, .constraints = keeps_away_from("x")}, i,
        sink);
}

void anti_affinity_without_value(int n, const ObjectSink& sink) {
  add_nodes(100, sink);
  for (int i = 0; i < n; ++i) {
    const std::string app = fmt::format("app-{}", i);
    Constraints away_from_others = keeps_away_from(app);
    away_from_others.pod_anti_affinity.front().selector.requirements.front().op = Operator::kNotIn;
    add({.name = app, .labels = {{"app", app}}, .constraints = std::move(away_from_others)}, i, sink);
  }
}

void shapes_without_node(int n, const ObjectSink& sink) {
  add_nodes(100, sink);
  fill(100, sink);
  for (int i = 0; i < n; ++i) {
    Constraints constraints;
    constraints.node_selector = {{"zone", fmt::format("nowhere-{}", i)}};
    add({.name = fmt::format("lost-{}", i), .is_urgent = true, .constraints = constraints}, i, sink);
  }
}

void taints(int n, const ObjectSink& sink) {
  add_policy(sink);
  sink(queue("queue"));
  for (int i = 0; i < 100; ++i)
    sink(node(i, {.taints = {{.key = "team", .value = fmt::format("team-{}", i)}}}));
  for (int i = 0; i < n; ++i) {
    Constraints constraints;
    constraints.tolerations = {{.key = "team", .value = fmt::format("team-{}", i)}};
    add({.name = fmt::format("job-{}", i), .constraints = constraints}, i, sink);
  }
}

void distinct_requests(int n, const ObjectSink& sink) {
  add_nodes(100, sink);
  for (int i = 0; i < n; ++i) add({.name = fmt::format("job-{}", i), .cpu = 100 + i}, i, sink);
}

void distinct_requests_full(int n, const ObjectSink& sink) {
  add_nodes(100, sink);
  fill(100, sink);
  for (int i = 0; i < n; ++i)
    add({.name = fmt::format("job-{}", i), .cpu = 100 + i, .is_urgent = true}, i, sink);
}

// ---------------------------------------------------------------- gangs

void flat_sub_groups(int n, const ObjectSink& sink) {
  add_nodes(n / 8 + 1, sink);
  add({.name = "gang", .pods = n, .has_sub_groups = true}, 0, sink);
}

void elastic_sub_groups(int n, const ObjectSink& sink) {
  add_nodes(n / 8 + 1, sink);
  add({.name = "gang", .pods = n, .has_sub_groups = true, .sub_groups_needed = 1}, 0, sink);
}

void semi_preemptible(int n, const ObjectSink& sink) {
  add_nodes(n / 8 + 1, sink);
  add({.name = "gang", .pods = n, .minimum = n / 2, .preemptibility = "semi-preemptible"}, 0, sink);
}

void elastic(int n, const ObjectSink& sink) {
  add_nodes(n / 8 + 1, sink);
  add({.name = "gang", .pods = n, .minimum = 1}, 0, sink);
}

void elastic_victim(int n, const ObjectSink& sink) {
  add_nodes(n / 8, sink);
  std::vector<int> on;
  for (int i = 0; i < n / 8 * 8; ++i) on.push_back(i / 8);
  add({.name = "wide", .pods = n / 8 * 8, .on = on, .minimum = 1}, 0, sink);
  for (int i = 0; i < n / 8; ++i) add({.name = fmt::format("new-{}", i), .is_urgent = true}, 1 + i, sink);
}

// ---------------------------------------------------------------- making room

void preempt_gangs(int n, const ObjectSink& sink) {
  add_nodes(n / 8, sink);
  fill(n / 8, sink);
  for (int i = 0; i < n / 32; ++i)
    add({.name = fmt::format("gang-{}", i), .pods = 4, .is_urgent = true}, n + i, sink);
}

// Gangs of two pods that each take a whole node.
void preempt_large_gangs(int n, const ObjectSink& sink) {
  add_nodes(n / 8, sink);
  fill(n / 8, sink);
  for (int i = 0; i < n / 32; ++i)
    add({.name = fmt::format("gang-{}", i), .pods = 2, .gpus = 8, .is_urgent = true}, n + i, sink);
}

// Half of the running jobs have the same priority, so that not all gangs find victims. No two gangs are
// alike.
void preempt_in_vain(int n, const ObjectSink& sink) {
  add_nodes(n / 8, sink);
  for (int i = 0; i < n / 8 * 8; ++i)
    add({.name = fmt::format("running-{}", i), .on = {i / 8}, .is_urgent = i % 2 == 0}, i, sink);
  for (int i = 0; i < n / 32; ++i)
    add({.name = fmt::format("gang-{}", i), .pods = 2, .gpus = 8, .cpu = 1000 + i, .is_urgent = true}, n + i,
        sink);
}

// Many jobs run, and one pending job cannot be placed.
void preempt_walk(int n, const ObjectSink& sink) {
  add_nodes(n / 100, sink);
  for (int i = 0; i < n; ++i)
    add({.name = fmt::format("running-{}", i), .gpus = 0, .on = {i / 100}, .is_urgent = true}, i, sink);
  add({.name = "large", .pods = n / 50, .gpus = 8}, n, sink);
}

void reclaim_queues(int n, const ObjectSink& sink) {
  add_policy(sink);
  for (int i = 0; i < n; ++i) sink(queue(fmt::format("queue-{}", i), 2));
  for (int i = 0; i < n / 4; ++i) sink(node(i));
  for (int i = 0; i < n / 4 * 8; ++i)
    add({.name = fmt::format("running-{}", i), .queue = fmt::format("queue-{}", i / 4 % n), .on = {i / 8}}, i,
        sink);
  for (int i = 0; i < n; ++i)
    add({.name = fmt::format("new-{}", i), .queue = fmt::format("queue-{}", n - 1 - i)}, 10'000 + i, sink);
}

void over_committed(int n, const ObjectSink& sink) {
  add_policy(sink);
  sink(queue("queue", 4 * n)), sink(queue("other", 4 * n));
  for (int i = 0; i < n; ++i) sink(node(i));
  for (int i = 0; i < 15 * n; ++i) add({.name = fmt::format("running-{}", i), .on = {i / 15}}, i, sink);
  for (int i = 0; i < 4 * n; ++i)
    add({.name = fmt::format("new-{}", i), .queue = "other", .gpus = 1 + i % 3}, 100'000 + i, sink);
}

// Seven of eight GPUs are in use on every node, and jobs need half a node.
void consolidation_without_limit(int n, const ObjectSink& sink) {
  add_nodes(n, sink);
  for (int i = 0; i < 7 * n; ++i)
    add({.name = fmt::format("running-{}", i), .cpu = 100 + i % 5, .on = {i / 7}}, i, sink);
  for (int i = 0; i < n / 8; ++i)
    add({.name = fmt::format("new-{}", i), .gpus = 4, .cpu = 1000 + i}, 100'000 + i, sink);
}

}  // namespace

const std::vector<GrowthCase>& growth_cases() {
  static const std::vector<GrowthCase> all = {
      {"anti-affinity-distinct", "n jobs, each with anti-affinity to its own label; 100 nodes", 500,
       distinct_anti_affinity},
      {"anti-affinity-distinct-full", "the same on full nodes, with higher priority than the running jobs",
       100, distinct_anti_affinity_full},
      {"anti-affinity-self", "a gang of n pods with anti-affinity to each other; n nodes", 250,
       self_anti_affinity},
      {"anti-affinity-self-jobs", "n jobs with anti-affinity to each other; n nodes", 250,
       self_anti_affinity_jobs},
      {"anti-affinity-without-value", "n jobs, each with anti-affinity to all other labels; 100 nodes", 500,
       anti_affinity_without_value},
      {"shapes-without-node", "n jobs, each with its own node selector that no node matches; 100 full nodes",
       1'000, shapes_without_node},
      {"taints", "n jobs, each with its own toleration; 100 nodes with a taint each", 500, taints},
      {"requests-distinct", "n jobs, each with its own CPU request; 100 nodes", 500, distinct_requests},
      {"requests-distinct-full", "the same on full nodes, with higher priority than the running jobs", 250,
       distinct_requests_full},
      {"sub-groups-flat", "a gang of n subgroups of one pod", 500, flat_sub_groups},
      {"sub-groups-elastic", "the same, only one subgroup required", 500, elastic_sub_groups},
      {"semi-preemptible", "a job of n pods whose core is half of them", 500, semi_preemptible},
      {"elastic", "a job of n pods with minimum 1", 500, elastic},
      {"elastic-victim", "a running job of n pods with minimum 1, and n / 8 jobs of higher priority", 400,
       elastic_victim},
      {"preempt-gangs", "n running jobs, n / 32 gangs of 4 with higher priority", 4'000, preempt_gangs},
      {"preempt-gangs-large", "n running jobs, n / 32 gangs of two whole nodes with higher priority", 2'000,
       preempt_large_gangs},
      {"preempt-in-vain", "the same, but no node can be emptied", 2'000, preempt_in_vain},
      {"preempt-walk", "n running jobs, one pending job that cannot be placed", 80'000, preempt_walk},
      {"reclaim-queues", "n queues at their quota, a pending job in each", 250, reclaim_queues},
      {"over-committed",
       "n nodes of 8 GPUs with 15 pods each, 4 n pending jobs of another queue; 5 cycles",
       2,
       over_committed,
       {},
       {},
       5},
      {"consolidation-without-limit",
       "n nodes, seven of eight GPUs in use, n / 8 jobs that need four",
       42,
       consolidation_without_limit,
       {},
       -1},
  };
  return all;
}

Policy policy_of(const GrowthCase& growth) {
  return make_policy({.name = growth.name,
                      .shape = {},
                      .actions = growth.actions,
                      .consolidation_victims = growth.consolidation_victims});
}

}  // namespace muster::bench
