// The zones that each policy chooses, compared also with a brute-force search.
#include "plugins/numa/numa.hpp"

#include <gtest/gtest.h>

#include <random>

#include "engine/cycle/statement.hpp"
#include "engine/place/allocation.hpp"
#include "engine/place/node_finder.hpp"
#include "plugins/numa/zones.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using plugins::NodeZones;
using plugins::ZoneRequests;

// ---------------------------------------------------------------- one node

// Zones with these free cores and GPUs.
NodeZones zones(AlignmentPolicy policy, const std::vector<std::vector<std::int64_t>>& amounts) {
  return {.policy = policy, .kinds = {kCpu, kGpu}, .allocatable = amounts, .free = amounts};
}

// Returns "0:cpu 4, 0:gpu 1", or "no".
std::string aligned(const NodeZones& node, const ZoneRequests& requests) {
  const auto shares = node.align(requests);
  if (!shares) return "no";
  std::string text;
  for (const ZoneShare& s : *shares)
    text += (text.empty() ? "" : ", ") + std::to_string(s.zone) + (s.kind == kCpu ? ":cpu " : ":gpu ") +
            std::to_string(s.units);
  return text;
}

TEST(Zones, SingleTakesTheLowestZoneThatHoldsEverything) {
  const NodeZones node = zones(AlignmentPolicy::kSingleZone, {{4, 1}, {8, 2}});
  EXPECT_EQ(aligned(node, {.side_by_side = {{4, 1}}}), "0:cpu 4, 0:gpu 1");
  EXPECT_EQ(aligned(node, {.side_by_side = {{5, 1}}}), "1:cpu 5, 1:gpu 1");
  EXPECT_EQ(aligned(node, {.side_by_side = {{9, 0}}}), "no");
  EXPECT_EQ(aligned(node, {.side_by_side = {{0, 0}}}), "");
}

TEST(Zones, OnlyContainersThatRunSideBySideShareWhatIsFree) {
  const NodeZones node = zones(AlignmentPolicy::kSingleZone, {{4, 0}, {4, 0}});
  EXPECT_EQ(aligned(node, {.side_by_side = {{3, 0}, {2, 0}}}), "0:cpu 3, 1:cpu 2");
  EXPECT_EQ(aligned(node, {.side_by_side = {{3, 0}, {3, 0}, {2, 0}}}), "no");
  EXPECT_EQ(aligned(node, {.side_by_side = {{4, 0}, {4, 0}}, .one_by_one = {{4, 0}, {4, 0}}}),
            "0:cpu 4, 1:cpu 4");
  EXPECT_EQ(aligned(node, {.side_by_side = {{1, 0}}, .one_by_one = {{5, 0}}}), "no");
}

TEST(Zones, RestrictedNeedsTheSameWidthForAllKinds) {
  const NodeZones node = zones(AlignmentPolicy::kRestricted, {{4, 2}, {4, 2}, {4, 2}});
  EXPECT_EQ(aligned(node, {.side_by_side = {{6, 3}}}), "0:cpu 4, 0:gpu 2, 1:cpu 2, 1:gpu 1");
  EXPECT_EQ(aligned(node, {.side_by_side = {{6, 1}}}), "no") << "two zones for the cores, one for the GPU";
  NodeZones used = node;
  used.free[0] = {1, 0};
  EXPECT_EQ(aligned(used, {.side_by_side = {{6, 3}}}), "1:cpu 4, 1:gpu 2, 2:cpu 2, 2:gpu 1")
      << "widths are those of the empty node";
  EXPECT_EQ(aligned(node, {.side_by_side = {{13, 0}}}), "no");
}

TEST(Zones, BestEffortAddsTheZoneThatCoversMost) {
  const NodeZones node = zones(AlignmentPolicy::kBestEffort, {{1, 0}, {4, 0}, {2, 0}});
  EXPECT_EQ(aligned(node, {.side_by_side = {{5, 0}}}), "0:cpu 1, 1:cpu 4");
  EXPECT_EQ(aligned(node, {.side_by_side = {{8, 0}}}), "no");
}

// Compares the search over choices of zones with trying all of them.
TEST(Zones, RestrictedAgreesWithTryingAllChoices) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random()) % limit; };
  for (int round = 0; round < 3000; ++round) {
    NodeZones node = zones(AlignmentPolicy::kRestricted, {{4, 2}, {4, 2}, {4, 2}, {4, 2}});
    for (auto& free : node.free) free = {below(5), below(3)};
    const std::vector<std::int64_t> wanted{below(13), below(7)};
    const std::int64_t by_cpu = (wanted[0] + 3) / 4, by_gpu = (wanted[1] + 1) / 2;
    const bool agree = wanted[0] == 0 || wanted[1] == 0 || by_cpu == by_gpu;
    const std::int64_t width = std::max(by_cpu, by_gpu);
    bool possible = width == 0;
    for (unsigned mask = 1; mask < 16; ++mask) {
      std::int64_t cpu = 0, gpu = 0;
      for (unsigned z = 0; z < 4; ++z)
        if ((mask >> z) & 1U) cpu += node.free[z][0], gpu += node.free[z][1];
      possible = possible || (__builtin_popcount(mask) == width && cpu >= wanted[0] && gpu >= wanted[1]);
    }
    ASSERT_EQ(node.align({.side_by_side = {wanted}}).has_value(), agree && possible) << round;
  }
}

// ---------------------------------------------------------------- a cluster

Config with_numa() {
  Config config;
  config.plugins.push_back({.name = "numa"});
  return config;
}

class NumaCluster : public TestCluster {
 public:
  enum class Actions { kAllocate, kAll };
  explicit NumaCluster(Actions actions = Actions::kAllocate) : TestCluster(with_numa()) {
    if (actions == Actions::kAllocate) only({"allocate"});
  }
  NumaCluster& zoned(const std::string& name, AlignmentPolicy policy, std::vector<std::int64_t> cores) {
    std::int64_t sum = 0;
    NodeTopologyObject topology{.meta = {.name = name}, .policy = policy, .by_pod = true};
    for (std::size_t z = 0; z < cores.size(); ++z) {
      topology.zones.push_back(
          {"node-" + std::to_string(z), {{"cpu", cores[z] * 1000}}, {{"cpu", cores[z] * 1000}}});
      sum += cores[z];
    }
    node(name, {.gpus = 0, .cpu = static_cast<double>(sum)});
    cluster().apply(std::move(topology));
    return *this;
  }
  // Adds a pod of class Guaranteed; with `on`, it runs on that node in the zones of the record.
  NumaCluster& pod(const std::string& name, double cores, const std::string& on = "",
                   std::vector<ZoneRecord> record = {}, int priority = 50) {
    pending(name, {.tasks = 0, .min = 1, .gpus = 0, .priority = priority});
    PodObject object{.meta = {.ns = "default", .name = name + "-0", .uid = name, .created = now()},
                     .phase = on.empty() ? PodPhase::kPending : PodPhase::kRunning,
                     .scheduler = "kai-scheduler",
                     .node = on,
                     .pod_group = name,
                     .requests = {{"cpu", static_cast<std::int64_t>(cores * 1000)}},
                     .numa_observed = std::move(record),
                     .guaranteed = true};
    cluster().apply(std::move(object));
    return *this;
  }
  std::string zones_of(const std::string& task) const {
    std::string text;
    for (const ZoneShare& s : cluster().holding(cluster().placement(task_id(task)).holding).zones)
      text += (text.empty() ? "" : " ") + std::to_string(s.zone) + ":" + std::to_string(s.units / 1000);
    return text;
  }
};

ZoneRecord cores_in(const std::string& zone, std::int64_t cores) { return {zone, {{"cpu", cores * 1000}}}; }

TEST(Numa, NodesThatCannotAlignThePodAreSkipped) {
  NumaCluster c;
  c.zoned("small", AlignmentPolicy::kSingleZone, {2, 2}).zoned("wide", AlignmentPolicy::kSingleZone, {4, 4});
  c.pod("a", 3).pod("b", 5);
  EXPECT_EQ(c.cycle(), "bind a-0 wide");
  EXPECT_EQ(c.zones_of("a-0"), "0:3");
  EXPECT_EQ(c.why("b"),
            "no room for pod b-0: 1 node: not enough CPU (5 cores requested, at most 4 cores free); 1 node: "
            "no NUMA zone has 5 cores free; the best has 4 cores; 12 cores of CPU: 3 cores in use by queue "
            "default, 9 cores free");
}

TEST(Numa, PodsOfOneCycleFillZoneByZone) {
  NumaCluster c;
  c.zoned("n", AlignmentPolicy::kSingleZone, {4, 4});
  c.pod("a", 3).pod("b", 3).pod("c", 2);
  EXPECT_EQ(c.cycle(), "bind a-0 n; bind b-0 n");
  EXPECT_EQ(c.zones_of("b-0"), "1:3");
}

TEST(Numa, FractionsOfCoresAreNotPinned) {
  NumaCluster c;
  c.zoned("n", AlignmentPolicy::kSingleZone, {4, 4}).pod("a", 4.5);
  EXPECT_EQ(c.cycle(), "bind a-0 n");
}

TEST(Numa, RecordsSayWhichZonesRunningPodsUse) {
  NumaCluster c;
  c.zoned("n", AlignmentPolicy::kSingleZone, {4, 4});
  c.pod("old", 3, "n", {cores_in("node-1", 3)}).pod("unknown", 1, "n", {cores_in("node-7", 1)}).pod("new", 4);
  EXPECT_EQ(c.cycle(), "bind new-0 n");
  EXPECT_EQ(c.zones_of("new-0"), "0:4");
}

TEST(Numa, EvictingAPodFreesItsZone) {
  NumaCluster c(NumaCluster::Actions::kAll);
  c.zoned("n", AlignmentPolicy::kSingleZone, {4, 4});
  c.pod("v0", 3, "n", {cores_in("node-0", 3)}).pod("v1", 3, "n", {cores_in("node-1", 3)});
  c.pod("urgent", 2, "", {}, 75);
  EXPECT_EQ(c.cycle(), "evict v1-0; pipeline urgent-0 n");
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(Numa, FewerZonesScoreHigher) {
  NumaCluster c;
  c.zoned("a", AlignmentPolicy::kBestEffort, {2, 2}).zoned("b", AlignmentPolicy::kBestEffort, {4, 0});
  c.pod("p", 4);
  EXPECT_EQ(c.cycle(), "bind p-0 b");
}

TEST(Numa, WithoutThePluginNothingChanges) {
  TestCluster c;
  c.node("n", {.cpu = 8});
  NodeTopologyObject topology{.meta = {.name = "n"}, .policy = AlignmentPolicy::kSingleZone};
  topology.zones.push_back({"node-0", {{"cpu", 1000}}, {{"cpu", 1000}}});
  c.cluster().apply(std::move(topology));
  c.pending("a", {.gpus = 0, .cpu = 4});
  EXPECT_EQ(c.cycle(), "bind a-0 n");
}

// The zone sums depend on the placements alone: undoing a statement restores every answer.
TEST(Numa, StatementsRollBackExactly) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    NumaCluster c;
    c.zoned("n1", AlignmentPolicy::kSingleZone, {4, 6}).zoned("n2", AlignmentPolicy::kRestricted, {4, 4});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 6; ++i) {
      names.push_back("p" + std::to_string(i));
      c.pod(names.back(), static_cast<double>(1 + below(4)));
    }
    c.cycle();
    Session& session = c.open();
    const auto answers = [&] {
      std::string text = c.cluster().fingerprint();
      for (const std::string& name : names)
        for (NodeId n : c.cluster().nodes_by_name()) {
          const auto refusal = refusal_of(session, c.cluster().task(c.task_id(name + "-0")).shape, n);
          text += refusal ? std::to_string(refusal->available) + "r " : "- ";
        }
      return text;
    };
    const std::string before = answers();
    {
      Statement statement(session);
      for (int step = 0; step < 30; ++step) {
        const TaskId t = c.task_id(names[below(names.size())] + "-0");
        const Placement& at = c.cluster().placement(t);
        const std::vector<TaskId> tasks{t};
        if (at.status == TaskStatus::kPending || at.virtually_evicted)
          (void)allocate_or_refuse(
              session, statement,
              {.job = c.cluster().task(t).job, .tasks = tasks, .pipeline_only = at.virtually_evicted});
        else if (in(at.status, kActiveAllocated))
          statement.evict(t);
      }
    }
    EXPECT_EQ(answers(), before) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster
