// Nonsensical objects, one by one and at random, affect only themselves; everything else is scheduled.
// tenants.md 1.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <limits>

#include "policy/policy.hpp"
#include "tests/check_clusters.hpp"
#include "tests/damage.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::HasSubstr;

std::string warnings_of(TestCluster& c) {
  c.cluster().refresh(c.now());
  std::string text;
  for (const ObjectWarning& w : c.cluster().take_warnings())
    text += fmt::format("{}: {}: {}\n", w.object, w.field, w.message);
  return text;
}

// ---------------------------------------------------------------- queues

TEST(Hostile, AJobWithAnExpectedRuntimeInAQueueThatIsItsOwnAncestor) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.queue("a", {.parent = "b"}).queue("b", {.parent = "a"}).queue("own", {.parent = "own"});
  for (const char* queue : {"a", "own"}) {
    const std::string name = queue;
    c.running("r-" + name, {.queue = name, .node = "n1", .expected_runtime = "1m"});
    c.running("s-" + name, {.queue = name, .node = "n1", .preemptibility = "semi-preemptible"});
    c.pending("p-" + name, {.queue = name, .expected_runtime = "0", .requeue_delay = "1s"});
  }
  c.node("n2", {.gpus = 1}).pending("fine");
  EXPECT_EQ(c.cycle(), "bind fine-0 n2");
  EXPECT_EQ(c.cluster().recount(), "");
}

// ---------------------------------------------------------------- sub groups

struct BadGroups {
  const char* problem;
  std::vector<SubGroupSpec> groups;
};
class HostileSubGroups : public testing::TestWithParam<BadGroups> {};

TEST_P(HostileSubGroups, LeaveOneGroupAndAWarning) {
  TestCluster c;
  c.node("n1").pending("bad", {.groups = GetParam().groups}).task("bad", "bad-0").pending("fine");
  EXPECT_EQ(warnings_of(c),
            fmt::format("PodGroup default/bad: spec.subGroups: {}; treated as one group with minimum 1\n",
                        GetParam().problem));
  EXPECT_EQ(c.cycle(), "bind bad-0 n1; bind fine-0 n1");
  EXPECT_EQ(c.cluster().recount(), "");
}

std::vector<SubGroupSpec> chain(int levels) {
  std::vector<SubGroupSpec> groups;
  for (int i = 0; i < levels; ++i)
    groups.push_back({.name = fmt::format("g{}", i), .parent = i == 0 ? "" : fmt::format("g{}", i - 1)});
  groups.back().min = 1;
  return groups;
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileSubGroups,
    testing::Values(
        BadGroups{"a sub group has no name", {{.name = ""}}},
        BadGroups{"a sub group has no name", {{.name = "a"}, {.name = "", .parent = "a"}}},
        BadGroups{"sub group \"a\" is listed twice", {{.name = "a"}, {.name = "b"}, {.name = "a"}}},
        BadGroups{"sub group \"a\" is its own ancestor", {{.name = "a", .parent = "a"}}},
        BadGroups{"sub group \"a\" is its own ancestor",
                  {{.name = "x"}, {.name = "a", .parent = "b"}, {.name = "b", .parent = "A"}}},
        BadGroups{"sub group \"a\" names parent \"b\", which does not exist", {{.name = "a", .parent = "b"}}},
        BadGroups{"sub group \"g64\" is nested more than 64 levels deep", chain(65)},
        BadGroups{"sub group \"g64\" is nested more than 64 levels deep", chain(20'000)}));

TEST(Hostile, SubGroupsMayBe64LevelsDeep) {
  TestCluster c;
  c.node("n1").pending("deep", {.groups = chain(64)});
  c.task("deep", "deep-0", {.sub_group = "g63"});
  EXPECT_EQ(warnings_of(c), "");
  EXPECT_EQ(c.cycle(), "bind deep-0 n1");
}

TEST(Hostile, ManySubGroups) {
  TestCluster c;
  JobSpec wide;
  for (int i = 0; i < 2'000; ++i)
    wide.groups.push_back({.name = fmt::format("g{}", i), .min = 1, .tasks = 1});
  c.node("n1").pending("wide", wide).pending("fine");
  EXPECT_EQ(c.cycle(), "bind fine-0 n1");
}

TEST(Hostile, MoreSubGroupsThanThereAreMustBeWhole) {
  TestCluster c;
  c.node("n1").pending("p",
                       {.min_sub_group = 2'147'483'647, .groups = {{.name = "a", .min = 1, .tasks = 1}}});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("p"), "too few of its sub groups have enough pods");
}

// ---------------------------------------------------------------- pods

// Reclaim checks what its victims would leave.
TEST(Hostile, ARunningPodWithoutNodeIsNeverAVictim) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("a", {.deserved = 0}).queue("b", {.deserved = 2});
  c.running("nowhere", {.queue = "a", .age = 1min});
  EXPECT_EQ(warnings_of(c),
            "Pod default/nowhere-0: status.phase: Running without a node; treated as unknown\n");
  c.running("victim", {.queue = "a", .tasks = 2, .node = "n1", .age = 1h});
  c.pending("contender", {.queue = "b", .tasks = 2});
  EXPECT_EQ(c.cycle(), "evict victim-0 victim-1; pipeline contender-0 n1; pipeline contender-1 n1");
  EXPECT_EQ(c.status("nowhere-0"), TaskStatus::kUnknown);
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(Hostile, APodOnANodeThatIsNotThereFreesNothing) {
  for (const bool was_there : {false, true}) {
    TestCluster c;
    c.queue("a", {.deserved = 0}).queue("b", {.deserved = 2});
    if (was_there) c.node("z1").node("z2").node("ghost");
    c.running("far", {.queue = "a", .tasks = 2, .node = "ghost", .age = 1min});
    c.cluster().refresh(c.now());
    for (const char* gone : {"z1", "z2", "ghost"}) c.cluster().remove("Node", "", gone);
    c.pending("contender", {.queue = "b", .tasks = 2});
    EXPECT_EQ(c.cycle(), "") << was_there;  // there are no nodes
    c.node("n1", {.gpus = 2}).running("victim", {.queue = "a", .tasks = 2, .node = "n1", .age = 1h});
    EXPECT_THAT(c.cycle(), HasSubstr("pipeline contender-0 n1; pipeline contender-1 n1")) << was_there;
    EXPECT_EQ(c.cluster().recount(), "");
  }
}

// ---------------------------------------------------------------- resources

TEST(Hostile, KindsThatNoNodeOffersTakeNoRoomInTheTables) {
  TestCluster c;
  TaskSpec many{.gpus = 0};
  for (int i = 0; i < 30'000; ++i) many.extra.push_back({fmt::format("example.com/r{}", i), 1000});
  c.node("n1").pending("many", {.tasks = 0}).task("many", "many-0", many).pending("fine");
  EXPECT_EQ(c.cycle(), "bind fine-0 n1");
  EXPECT_EQ(c.cluster().kinds().size(), 30'004u);
  EXPECT_EQ(c.cluster().idle().offered().size(), 4u);
  EXPECT_EQ(c.why("many"), "pod many-0 needs 1 example.com/r0; no node has any");
}

TEST(Hostile, AKindMayBeWantedBeforeItIsOffered) {
  TestCluster c;
  c.node("n1").pending("early", {.tasks = 0});
  c.task("early", "early-0", {.gpus = 0, .extra = {{"example.com/a", 1000}, {"example.com/b", 2000}}});
  EXPECT_EQ(c.cycle(), "");
  c.node("n2", {.extra = {{"example.com/b", 2000}}});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("early"), "pod early-0 needs 1 example.com/a; no node has any");
  c.node("n3", {.extra = {{"example.com/b", 2000}, {"example.com/a", 1000}}});
  EXPECT_EQ(c.cycle(), "bind early-0 n3");
  EXPECT_EQ(c.cluster().recount(), "");
}

// The sum of two such values does not fit into 64 bits and would look negative.
TEST(Hostile, AmountsThatNoNodeHasDoNotTurnSumsRound) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TestCluster c;
  c.node("n1").node("n2").queue("a", {.deserved = 1, .limit = 1}).queue("b", {.deserved = 8});
  for (int i = 0; i < 10; ++i) {
    const std::string name = fmt::format("huge-{}", i);
    c.pending(name, {.queue = "a", .tasks = 0});
    PodObject pod{.meta = {.ns = "default", .name = name, .uid = name}, .scheduler = "kai-scheduler"};
    pod.pod_group = name;
    pod.requests = {{"cpu", kMost - i}, {"memory", kMost - i}, {"nvidia.com/gpu", kMost - i}};
    if (i % 2 == 0) pod.node = "n1", pod.phase = PodPhase::kRunning;
    c.cluster().apply(std::move(pod));
  }
  c.pending("more", {.queue = "a"}).pending("fine", {.queue = "b"});
  EXPECT_THAT(c.cycle(), HasSubstr("bind fine-0 n2"));
  EXPECT_THAT(c.cycle(), testing::Not(HasSubstr("more")));
  for (const char* queue : {"a", "b"}) {
    const QueueUse& use = c.cluster().use(c.cluster().find_queue(queue));
    for (const Charge& charge : {use.allocated, use.pending, use.non_preemptible})
      for (std::int64_t units : charge.units) EXPECT_GE(units, 0) << queue;
  }
  EXPECT_LT(c.cluster().idle().at(kGpu, c.cluster().find_node("n1")), 0);
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(Hostile, ALargeNodeIsNotCutToWhatAPodIsCharged) {
  constexpr std::int64_t kTerabyte = 1'000'000'000'000;
  TestCluster c;
  c.node("n1", {.memory_gb = 50'000, .extra = {{"ephemeral-storage", 120 * kTerabyte}}});
  const auto add = [&](const std::string& job, int pods, double memory_gb, std::int64_t terabytes) {
    c.pending(job, {.tasks = 0, .min = pods});
    for (int i = 0; i < pods; ++i)
      c.task(job, fmt::format("{}-{}", job, i),
             {.gpus = 0, .memory_gb = memory_gb, .extra = {{"ephemeral-storage", terabytes * kTerabyte}}});
  };
  add("gang", 3, 0, 20);
  add("one", 1, 40'000, 40);
  add("more", 1, 0, 30);
  EXPECT_EQ(c.cycle(), "bind gang-0 n1; bind gang-1 n1; bind gang-2 n1; bind one-0 n1");
  EXPECT_THAT(c.why("more"), HasSubstr("not enough ephemeral-storage (30000 GB requested, at most 20000 GB"));
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(Hostile, ManyPodsWithEndlessStorageOnOneNode) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TestCluster c;
  c.node("n1", {.extra = {{"ephemeral-storage", 1000}}});
  c.node("n2", {.extra = {{"ephemeral-storage", kMost}}}).pending("gang", {.tasks = 0});
  for (int i = 0; i < 4'000; ++i) {
    const std::string name = fmt::format("huge-{}", i);
    PodObject pod{.meta = {.ns = "default", .name = name, .uid = name}, .scheduler = "kai-scheduler"};
    pod.pod_group = "gang";
    pod.requests = {{"ephemeral-storage", kMost}};
    if (i > 0) pod.node = i % 2 == 0 ? "n1" : "n2", pod.phase = PodPhase::kRunning;
    c.cluster().apply(std::move(pod));
  }
  c.pending("fine", {.tasks = 0, .min = 1}).task("fine", "fine-0", {.extra = {{"ephemeral-storage", 1}}});
  EXPECT_EQ(c.cycle(), "");
  const Kind kind = c.cluster().shape_of(c.task_id("fine-0")).request.back().kind;
  for (const char* node : {"n1", "n2"}) EXPECT_LT(c.cluster().idle().at(kind, c.node_id(node)), 0);
}

TEST(Hostile, NodesThatClaimToHaveEverything) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  TestCluster c;
  for (const char* name : {"n1", "n2", "n3"})
    c.cluster().apply(NodeObject{
        .meta = {.name = name},
        .allocatable = {{"cpu", kMost}, {"memory", kMost}, {"nvidia.com/gpu", kMost}, {"pods", kMost}}});
  c.pending("fine");
  EXPECT_THAT(c.cycle(), HasSubstr("bind fine-0"));
  EXPECT_GT(c.cluster().total().share(Accounted::kGpus), 1e9);
}

// ---------------------------------------------------------------- at random

// Nodes whose pods use more than the nodes have.
std::vector<NodeId> overdrawn(const Cluster& c) {
  std::vector<NodeId> nodes;
  for (NodeId n : c.nodes_by_name())
    if (c.node_table().overdrawn_now(n) > 0) nodes.push_back(n);
  return nodes;
}

TEST(Hostile, DamagedClustersAreScheduledAllTheSame) {
  std::vector<Error> errors;
  check_clusters(1500, [policy = policy::make_policy({}, errors)] {
    const auto objects = damaged(objects_of(*any_cluster()), *numbers_up_to(12));
    Cluster cluster = cluster_of(objects);
    TimePoint now = random_cluster_now();
    for (int cycle = 0; cycle < 3; ++cycle, now += std::chrono::minutes(1)) {
      cluster.refresh(now);
      const auto before = overdrawn(cluster);
      run_cycle(cluster, policy, now);
      RC_ASSERT(cluster.recount() == "");
      for (NodeId n : overdrawn(cluster))
        RC_ASSERT(std::find(before.begin(), before.end(), n) != before.end());
    }
    for (const Object& object : objects) cluster.apply(Object(object));
    cluster.refresh(now);
    RC_ASSERT(cluster.recount() == "");
  });
}

}  // namespace
}  // namespace muster
