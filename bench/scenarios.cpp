// Defines the scenarios by name.
#include "scenarios.hpp"

#include <stdexcept>
#include <utility>

#include "engine/cycle/run_cycle.hpp"
#include "policy/policy.hpp"

namespace muster::bench {
namespace {

ClusterShape growth(int nodes) {
  return {.nodes = nodes,
          .departments = 10,
          .queues = 100,
          .running = 4 * nodes,
          .pending = 5 * nodes,
          .foreign = 3};
}

// A full cluster of one-GPU jobs beyond their quota, and pending jobs that are entitled to all of it.
ClusterShape reclaim(int nodes, int pending, int pods, int gpus) {
  return {.nodes = nodes,
          .running = 8 * nodes,
          .pending = pending,
          .pending_pods = pods,
          .pending_gpus = gpus,
          .contest = Contest{.running_quota = 0, .pending_quota = 8.0 * nodes}};
}

// A full cluster of one queue, with pending jobs of higher priority in that queue.
ClusterShape preempt(int nodes, int pending, int pods, int gpus) {
  return {.nodes = nodes,
          .departments = 1,
          .queues = 1,
          .running = 8 * nodes,
          .pending = pending,
          .pending_pods = pods,
          .pending_gpus = gpus,
          .pending_outranks = true};
}

// Every node is half full, and the pending jobs need whole nodes: half of the running jobs must move
// together.
ClusterShape fragmented(int nodes) {
  return {.nodes = nodes,
          .departments = 1,
          .queues = 1,
          .running = 4 * nodes,
          .pending = nodes / 2,
          .pending_gpus = 8};
}

// A gang that needs ten whole nodes. The running queue would have to give up one GPU more than it may.
ClusterShape hopeless(int nodes) {
  return {.nodes = nodes,
          .running = 8 * nodes,
          .pending = 1,
          .pending_pods = 10,
          .pending_gpus = 8,
          .contest = Contest{.running_quota = 8.0 * nodes - 79, .pending_quota = 80}};
}

// A full cluster with 1,000 overdue jobs, and 1,000 pending jobs of higher priority in the same queues. The
// first `in_vain` of them need whole nodes, but each node has a job that is not evictable.
ClusterShape overdue(int in_vain) {
  return {.nodes = 500,
          .running = 4'000,
          .overdue = 1'000,
          .pinned = in_vain > 0 ? 500 : 0,
          .pending = 1'000,
          .pending_large = in_vain,
          .pending_outranks = true};
}

// 5,000 nodes in zones, racks of 20, and hosts.
ClusterShape racks(int pending, int pods, int gpus, std::vector<TopologyConstraint> topologies) {
  return {.nodes = 5'000,
          .pending = pending,
          .pending_pods = pods,
          .pending_gpus = gpus,
          .racks = 250,
          .topologies = std::move(topologies)};
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"alloc-500x8-4000", {.nodes = 500, .pending = 4'000}, {"allocate"}},
      {"alloc-500x8-8000", {.nodes = 500, .pending = 8'000}, {"allocate"}},
      {"gang-50x100x4", {.nodes = 50, .pending = 100, .pending_pods = 4}, {"allocate"}},
      {"reclaim-500x8-4000x4000", reclaim(500, 4'000, 1, 1)},
      {"reclaim-one-500x8-4000", reclaim(500, 1, 1, 1)},
      {"reclaim-large-100", reclaim(100, 1, 50, 8)},
      {"reclaim-large-500", reclaim(500, 1, 250, 8)},
      {"reclaim-large-1000", reclaim(1'000, 1, 500, 8)},
      {"preempt-500x8-4000x4000", preempt(500, 4'000, 1, 1)},
      {"preempt-large-100", preempt(100, 1, 50, 8)},
      {"preempt-large-500", preempt(500, 1, 250, 8)},
      {"preempt-large-1000", preempt(1'000, 1, 500, 8)},
      {"fragmented-100", fragmented(100), {}, -1},
      {"fragmented-500", fragmented(500), {}, -1},
      {"hopeless-100", hopeless(100)},
      {"hopeless-1000", hopeless(1'000)},
      {"growth-100", growth(100), {"allocate"}},
      {"growth-1000", growth(1'000), {"allocate"}},
      {"growth-10000", growth(10'000), {"allocate"}},
      {"fractions-500x10000", {.nodes = 500, .pending = 10'000, .pending_fraction = 0.3}, {"allocate"}},
      {"rack-gang-512-required", racks(1, 512, 4, {{"net", "zone", ""}}), {"allocate"}},
      {"rack-gang-512-preferred", racks(1, 512, 8, {{"net", "", "rack"}}), {"allocate"}},
      {"rack-gang-512-both", racks(1, 512, 4, {{"net", "zone", "rack"}}), {"allocate"}},
      {"rack-jobs-4000",
       racks(4'000, 4, 2,
             {{"net", "rack", ""}, {"net", "", "rack"}, {"net", "zone", "host"}, {"net", "host", ""}}),
       {"allocate"}},
      {"requeue-500-served", overdue(0), {"requeue"}},
      {"preempt-500-served", overdue(0), {"preempt"}},
      {"requeue-500-half-in-vain", overdue(500), {"requeue"}},
      {"preempt-500-half-in-vain", overdue(500), {"preempt"}},
      {"requeue-500-in-vain", overdue(1'000), {"requeue"}},
      {"preempt-500-in-vain", overdue(1'000), {"preempt"}},
      {"full-1000x20000",
       {.nodes = 1'000, .departments = 10, .queues = 100, .running = 8'000, .foreign = 12}},
      {"live-4000x140000",
       {.nodes = 4'000,
        .departments = 10,
        .queues = 100,
        .running = 32'000,
        .pending = 50,
        .pending_pods = 8,
        .pending_gpus = 8,
        .foreign = 27}},
  };
  return all;
}

const Scenario* find_scenario(const std::string& name) {
  for (const Scenario& s : scenarios())
    if (s.name == name) return &s;
  return nullptr;
}

Policy make_policy(const Scenario& scenario) {
  Config config;
  if (!scenario.actions.empty()) config.actions = scenario.actions;
  if (scenario.consolidation_victims)
    config.params.max_consolidation_preemptees = *scenario.consolidation_victims;
  std::vector<Error> errors;
  Policy policy = policy::make_policy(config, errors);
  if (!errors.empty()) throw std::logic_error(errors.front().text());
  return policy;
}

LiveCluster::LiveCluster(const ClusterShape& shape) : shape_(shape), cluster_(make_cluster(shape)) {}

Decisions LiveCluster::step(const Policy& policy) {
  constexpr int kChanged = 5;  // each is removed once and added once: ten deltas
  const int pods = shape_.nodes * shape_.foreign;
  for (int i = 0; i < kChanged && pods > 0; ++i) {
    PodObject pod = foreign_pod(shape_, next_++ % pods);
    cluster_.remove("Pod", pod.meta.ns, pod.meta.name);
    cluster_.apply(std::move(pod));
  }
  const SteadyStopwatch stopwatch;
  return run_cycle(cluster_, policy, now() + std::chrono::seconds(++cycles_), {.stopwatch = &stopwatch});
}

}  // namespace muster::bench
