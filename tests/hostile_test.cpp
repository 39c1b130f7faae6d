// Objects that nobody means, one by one and at random: they cost only themselves, and the others are
// scheduled. tenants.md 1.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "cli/policy.hpp"
#include "tests/check_clusters.hpp"
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
            fmt::format("PodGroup default/bad: spec.subGroups: {}; taken as one group with minimum 1\n",
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
    testing::Values(BadGroups{"a sub group has no name", {{.name = ""}}},
                    BadGroups{"a sub group has no name", {{.name = "a"}, {.name = "", .parent = "a"}}},
                    BadGroups{"sub group \"a\" stands there twice",
                              {{.name = "a"}, {.name = "b"}, {.name = "a"}}},
                    BadGroups{"sub group \"a\" is its own ancestor", {{.name = "a", .parent = "a"}}},
                    BadGroups{"sub group \"a\" is its own ancestor",
                              {{.name = "x"}, {.name = "a", .parent = "b"}, {.name = "b", .parent = "A"}}},
                    BadGroups{"sub group \"a\" has no parent \"b\"", {{.name = "a", .parent = "b"}}},
                    BadGroups{"sub group \"g64\" stands more than 64 levels deep", chain(65)},
                    BadGroups{"sub group \"g64\" stands more than 64 levels deep", chain(20'000)}));

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

// ---------------------------------------------------------------- pods

// Reclaim looks at what its victims would leave.
TEST(Hostile, ARunningPodWithoutNodeIsNobodysVictim) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).queue("a", {.deserved = 0}).queue("b", {.deserved = 2});
  c.running("nowhere", {.queue = "a", .age = 1min});
  EXPECT_EQ(warnings_of(c),
            "Pod default/nowhere-0: status.phase: Running, but on no node; counts as unknown\n");
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
    EXPECT_EQ(c.cycle(), "") << was_there;  // there is no node at all
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
  EXPECT_EQ(c.why("many"), "pod many-0 wants 1 example.com/r0; no node has any");
}

TEST(Hostile, AKindMayBeWantedBeforeItIsOffered) {
  TestCluster c;
  c.node("n1").pending("early", {.tasks = 0});
  c.task("early", "early-0", {.gpus = 0, .extra = {{"example.com/a", 1000}, {"example.com/b", 2000}}});
  EXPECT_EQ(c.cycle(), "");
  c.node("n2", {.extra = {{"example.com/b", 2000}}});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("early"), "pod early-0 wants 1 example.com/a; no node has any");
  c.node("n3", {.extra = {{"example.com/b", 2000}, {"example.com/a", 1000}}});
  EXPECT_EQ(c.cycle(), "bind early-0 n3");
  EXPECT_EQ(c.cluster().recount(), "");
}

// ---------------------------------------------------------------- at random

// Bends one object; what a source would never let through stays out.
struct Damage {
  Dice dice;

  std::string some_name() {
    return dice.pick({"", "q0", "q1", "q2", "n0", "n1", "ghost", "j0", "j1", "g0", "../x"});
  }
  std::int64_t some_amount() {
    return dice.pick<std::int64_t>({0, 1, 999, 1000, 1'000'000'000, 100'000'000'000'000'000});
  }
  std::optional<std::int32_t> some_count() { return dice.pick<std::int32_t>({0, 1, 2, 1000, INT32_MAX}); }

  void bend(QueueObject& queue) {
    queue.parent_name = some_name();
    if (dice.once_in(2)) queue.gpu = {.quota = 1e300, .limit = dice.pick({-1.0, 0.0, 1e-300}), .weight = 0};
    if (dice.once_in(2)) queue.expected_runtime = dice.pick({"1s", "x", "-1s", "999999h"});
    if (dice.once_in(2)) queue.requeue_delay = dice.pick({"1s", "x", "-1s", "999999h"});
  }
  void bend(NodeObject& node) {
    for (NamedAmount& amount : node.allocatable)
      if (dice.once_in(3)) amount.units = some_amount();
    if (dice.once_in(3))
      node.meta.labels = {{"nvidia.com/gpu.memory", dice.pick({"", "-1", "99999999999999999", "1"})}};
    if (dice.once_in(3)) node.allocatable.push_back({"example.com/x", some_amount()});
  }
  void bend(PodGroupObject& group) {
    if (dice.once_in(3)) group.queue = some_name();
    if (dice.once_in(3)) group.min_member = some_count();
    if (dice.once_in(3)) group.min_sub_group = some_count();
    if (dice.once_in(3)) group.preemptibility = dice.pick({"semi-preemptible", "x", "non-preemptible"});
    if (dice.once_in(3)) group.expected_runtime = dice.pick({"1s", "x", "0"});
    for (int i = dice.roll(4); i > 0; --i)
      group.sub_groups.push_back({.name = some_name(), .parent = some_name(), .min_member = some_count()});
  }
  void bend(PodObject& pod) {
    if (dice.once_in(3)) pod.node = some_name();
    if (dice.once_in(3)) pod.phase = static_cast<PodPhase>(dice.roll(5));
    if (dice.once_in(3)) pod.pod_group = some_name();
    if (dice.once_in(3)) pod.sub_group = some_name();
    if (dice.once_in(4))
      pod.requests.push_back({dice.pick({"example.com/x", "example.com/y"}), some_amount()});
    if (dice.once_in(4)) pod.gpu_groups = {some_name(), some_name()};
    if (dice.once_in(4)) pod.nominated_node = some_name();
    if (dice.once_in(4)) pod.deletion = random_cluster_now() - std::chrono::hours(dice.pick({-1, 0, 100}));
    if (dice.once_in(4)) pod.meta.uid = "";
  }
  void bend(TopologyObject& topology) {
    topology.levels.push_back({.label = some_name(), .alias = some_name()});
  }
  template <class T>
  void bend(T&) {}
};

std::vector<Object> damaged(std::vector<Object> objects, const Numbers& numbers) {
  if (objects.empty()) return objects;
  for (const std::uint64_t number : numbers) {
    Damage damage{Dice(number / 64)};
    std::visit([&](auto& object) { damage.bend(object); }, objects[number % 64 % objects.size()]);
  }
  return objects;
}

// Nodes that pods stand on beyond what they have, as they came.
std::vector<NodeId> overdrawn(const Cluster& c) {
  std::vector<NodeId> nodes;
  for (NodeId n : c.nodes_by_name())
    if (c.node_table().overdrawn_now(n) > 0) nodes.push_back(n);
  return nodes;
}

TEST(Hostile, DamagedClustersAreScheduledAllTheSame) {
  std::vector<Error> errors;
  check_clusters(1500, [policy = cli::make_policy({}, errors)] {
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
