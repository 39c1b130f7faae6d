// Static clusters settle: a cycle decides all that there is to decide.
#include <gtest/gtest.h>

#include <map>

#include "bench/static_cluster.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "policy/policy.hpp"
#include "sim/embedded_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

bool decides_nothing(const Decisions& d) {
  return d.binds.empty() && d.evictions.empty() && d.pipelined.empty();
}

struct Settling {
  int cycles = 0;  // that decided something
  std::map<TaskId, int> evictions;
  std::int64_t free_after_first = 0, free_at_end = 0;  // GPUs, in thousandths
};

std::int64_t free_gpus(const Cluster& cluster) {
  std::int64_t free = 0;
  for (NodeId n : cluster.nodes_by_name()) free += cluster.idle().at(kGpu, n);
  return free;
}

Settling settle(Cluster cluster, const Policy& policy, int most_cycles) {
  EmbeddedCluster embedded;
  SearchMemory memory;
  Settling result;
  TimePoint now = bench::static_start();
  for (int cycle = 1; cycle <= most_cycles; ++cycle, now += 1s) {
    const Decisions d = run_cycle(cluster, policy, now, {.memory = &memory});
    for (const EvictDecision& e : d.evictions) ++result.evictions[e.task];
    embedded.carry_out(cluster, d, now);
    embedded.update(cluster, now);
    cluster.refresh(now);
    result.free_at_end = free_gpus(cluster);
    if (cycle == 1) result.free_after_first = result.free_at_end;
    if (!decides_nothing(d)) result.cycles = cycle;
  }
  return result;
}

Policy default_policy() {
  std::vector<Error> errors;
  return policy::make_policy({}, errors);
}

constexpr double kLoads[] = {1.5, 3, 11, 30};

TEST(Settle, AnEmptyClusterIsFilledWithoutEvictions) {
  const Policy policy = default_policy();
  for (const double load : kLoads)
    for (unsigned seed = 0; seed < 15; ++seed) {
      SCOPED_TRACE("load " + std::to_string(load) + ", seed " + std::to_string(seed));
      const bench::StaticShape shape{.load = load, .elastic_in = seed % 3 == 0 ? 4 : 0};
      const Settling settled = settle(bench::make_static_cluster(shape, seed), policy, 5);
      EXPECT_TRUE(settled.evictions.empty());
      EXPECT_LE(settled.cycles, 2);
      EXPECT_LE(settled.free_after_first - settled.free_at_end, 2 * kOneGpu) << "1 % of 160 GPUs";
    }
}

TEST(Settle, AFullClusterSettlesSoonAndEvictsNoPodTwice) {
  const Policy policy = default_policy();
  for (const double load : kLoads)
    for (unsigned seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE("load " + std::to_string(load) + ", seed " + std::to_string(seed));
      const Settling settled =
          settle(bench::make_static_cluster({.load = load, .full = true}, seed), policy, 12);
      EXPECT_LE(settled.cycles, 8);
      for (const auto& [task, evictions] : settled.evictions) EXPECT_EQ(evictions, 1);
    }
}

// Three queues, each with a gang that takes half of the nodes and a job that takes one.
TEST(Settle, APlaceTakenFromAJobThatNeverRanIsFreeAtOnce) {
  TestCluster c;
  for (const char* node : {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"}) c.node(node);
  for (const std::string q : {"q0", "q1", "q2"}) {
    c.queue(q);
    c.pending("g" + q, {.queue = q, .tasks = 4, .gpus = 8});
    c.pending("s" + q, {.queue = q, .gpus = 8});
  }
  c.cycle();
  EXPECT_TRUE(c.decisions().evictions.empty());
  EXPECT_TRUE(c.decisions().pipelined.empty());
  EXPECT_GE(c.decisions().binds.size(), 7U) << "one gang and three small jobs, or two gangs";
  EXPECT_EQ(c.cycle(), "");
}

// The place that was made for one job goes to another job of its queue: the record of the eviction, and the
// memory that the victim made way, go with it.
TEST(Settle, ARecordFollowsThePlace) {
  TestCluster c;
  for (const char* node : {"n1", "n4"}) c.node(node, {.gpus = 1});
  for (const char* node : {"n2", "n3", "n5"}) c.node(node, {.gpus = 1, .labels = {{"pool", "b"}}});
  c.queue("ours", {.deserved = 5}).queue("theirs", {.deserved = 0});
  c.running("victim", {.queue = "theirs", .tasks = 2, .min = 1, .nodes = {"n4", "n2"}});
  const Constraints pool_b{.node_selector = {{"pool", "b"}}};
  c.running("low-a", {.queue = "ours", .priority = 20, .node = "n3", .constraints = pool_b});
  c.running("low-b", {.queue = "ours", .priority = 20, .node = "n5", .constraints = pool_b});
  c.pending("job", {.queue = "ours", .tasks = 2, .min = 1});
  c.pending("urgent", {.queue = "ours", .tasks = 3, .priority = 90, .constraints = pool_b});
  for (int cycle = 0; cycle < 6; ++cycle) {
    c.cycle();
    for (const EvictDecision& e : c.decisions().evictions) {
      const auto has_place = [&](const PipelineDecision& p) {
        return c.cluster().task(p.task).job == e.preemptor;
      };
      EXPECT_TRUE(std::ranges::any_of(c.decisions().pipelined, has_place)) << c.cluster().task(e.task).name;
    }
  }
  EXPECT_EQ(c.cluster().job(c.job_id("job")).counts.active_allocated(), 2);
}

}  // namespace
}  // namespace muster
