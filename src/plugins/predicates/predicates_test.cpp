// Each rule that keeps a pod off a node, and the objects that its refusal names.
#include "plugins/predicates/predicates.hpp"

#include <gtest/gtest.h>

#include "plugins/small_cluster_for_test.hpp"
#include "tests/test_cluster.hpp"

namespace muster::plugins {
namespace {

using Rule = std::optional<NodeRule>;
constexpr const char* kProfile = "nvidia.com/mig-1g.5gb";

SmallCluster small_cluster(ClusterOptions options = {}) {
  return SmallCluster({"predicates", [] { return make_predicates(); }}, std::move(options));
}

// ---------------------------------------------------------------- requests

PodObject whole_gpu(std::string name) {
  PodObject pod = pod_object(std::move(name));
  pod.gpu.devices = 1;
  pod.requests = {{"nvidia.com/gpu", kOneGpu}};
  return pod;
}
PodObject fraction(std::string name, double portion = .5) {
  PodObject pod = pod_object(std::move(name));
  pod.gpu = {.type = GpuRequestType::kFraction, .devices = 1, .portion = portion};
  return pod;
}
PodObject gpu_memory(std::string name) {
  PodObject pod = pod_object(std::move(name));
  pod.gpu = {.type = GpuRequestType::kGpuMemory, .devices = 1, .memory_mib = 50};
  return pod;
}
PodObject mig(std::string name) {
  PodObject pod = pod_object(std::move(name));
  pod.gpu.type = GpuRequestType::kMig;
  pod.requests = {{kProfile, 1}};
  return pod;
}
PodObject legacy_mig(std::string name) {
  PodObject pod = mig(std::move(name));
  pod.gpu.legacy_mig = true;
  return pod;
}

NodeObject mig_node(std::string name, std::string strategy) {
  NodeObject node = node_object(std::move(name), {{"nvidia.com/mig.strategy", std::move(strategy)}});
  node.allocatable.push_back({kProfile, 7});
  return node;
}

// ---------------------------------------------------------------- node type, conditions, taints, selectors

TEST(Predicates, NodeTypes) {
  SmallCluster c = small_cluster();
  const NodeId plain = c.add(node_object("plain"));
  const NodeId single = c.add(mig_node("single", "single"));
  const NodeId mixed = c.add(mig_node("mixed", "mixed"));
  const NodeId occupied = c.add(mig_node("occupied", "mixed"));
  c.add(running(legacy_mig("old"), "occupied"));
  const TaskId whole = c.add(whole_gpu("whole")), part = c.add(fraction("part")),
               profile = c.add(mig("profile")), legacy = c.add(legacy_mig("legacy")),
               cpu = c.add(pod_object("cpu"));
  c.open();
  struct Case {
    TaskId task;
    NodeId node;
    bool refused;
  };
  const Case cases[] = {
      {whole, plain, false},     {whole, single, false}, {whole, mixed, true},    {part, plain, false},
      {part, single, true},      {part, mixed, true},    {profile, single, true}, {profile, mixed, false},
      {profile, occupied, true}, {legacy, mixed, true},  {legacy, single, true},  {cpu, plain, false},
      {cpu, single, false},      {cpu, mixed, false},    {cpu, occupied, false},
  };
  for (const Case& x : cases)
    EXPECT_EQ(c.refusal(x.task, x.node), x.refused ? Rule(NodeRule::kNodeType) : std::nullopt)
        << c.cluster().task(x.task).name << " on " << c.cluster().node(x.node).name;
  // Amounts are checked first: a plain node has no instance of the profile.
  EXPECT_EQ(c.refusal(profile, plain), NodeRule::kResources);
  EXPECT_EQ(c.session().hooks.shape_filter(c.cluster().task(profile).shape, plain)->rule,
            NodeRule::kNodeType);
}

TEST(Predicates, GpuMemoryMustBeKnown) {
  SmallCluster c = small_cluster();
  const NodeId unknown = c.add(node_object("unknown"));
  const NodeId known = c.add(node_object("known", {{"nvidia.com/gpu.memory", "40960"}}));
  const TaskId task = c.add(gpu_memory("task"));
  c.open();
  EXPECT_EQ(c.refusal(task, unknown), NodeRule::kGpuMemoryUnknown);
  EXPECT_EQ(c.refusal(task, known), std::nullopt);
}

TEST(Predicates, TolerationsDoNotOverrideConditions) {
  const std::pair<bool NodeConditions::*, NodeRule> cases[] = {
      {&NodeConditions::unschedulable, NodeRule::kUnschedulable},
      {&NodeConditions::not_ready, NodeRule::kNotReady},
      {&NodeConditions::memory_pressure, NodeRule::kMemoryPressure},
      {&NodeConditions::disk_pressure, NodeRule::kDiskPressure},
      {&NodeConditions::pid_pressure, NodeRule::kPidPressure},
      {&NodeConditions::network_unavailable, NodeRule::kNetworkUnavailable},
  };
  for (const auto& [condition, rule] : cases) {
    SmallCluster c = small_cluster();
    NodeObject object = node_object("node");
    object.conditions.*condition = true;
    const NodeId node = c.add(std::move(object));
    const TaskId task = c.add(pod_object("task", {}, {.tolerations = {{.exists = true}}}));
    c.open();
    EXPECT_EQ(c.refusal(task, node), rule);
  }
}

TEST(Predicates, TaintsComeBeforeNodeAffinity) {
  SmallCluster c = small_cluster();
  NodeObject object = node_object("node", {{"disk", "ssd"}});
  object.taints = {{.key = "gpu"}};
  const NodeId node = c.add(std::move(object));
  const Toleration tolerant{.key = "gpu", .exists = true};
  const TaskId neither = c.add(pod_object("neither", {}, {.node_selector = {{"disk", "hdd"}}}));
  const TaskId tolerated =
      c.add(pod_object("tolerated", {}, {.node_selector = {{"disk", "hdd"}}, .tolerations = {tolerant}}));
  const TaskId both =
      c.add(pod_object("both", {}, {.node_selector = {{"disk", "ssd"}}, .tolerations = {tolerant}}));
  c.open();
  EXPECT_EQ(c.refusal(neither, node), NodeRule::kTaints);
  EXPECT_EQ(c.refusal(tolerated, node), NodeRule::kNodeAffinity);
  EXPECT_EQ(c.refusal(both, node), std::nullopt);
}

TEST(Predicates, WorkerRolesCountOnlyWhereSchedulingIsRestricted) {
  for (const bool restricted : {true, false}) {
    const ClusterOptions options{.restrict_node_scheduling = restricted};
    SmallCluster c = small_cluster(options);
    const NodeId cpus = c.add(node_object("cpus", {{options.cpu_worker_label, ""}}));
    const NodeId gpus = c.add(node_object("gpus", {{options.gpu_worker_label, ""}}));
    const TaskId cpu = c.add(pod_object("cpu")), gpu = c.add(whole_gpu("gpu"));
    c.open();
    const Rule expected = restricted ? Rule(NodeRule::kWorkerRole) : std::nullopt;
    EXPECT_EQ(c.refusal(cpu, cpus), std::nullopt);
    EXPECT_EQ(c.refusal(gpu, gpus), std::nullopt);
    EXPECT_EQ(c.refusal(cpu, gpus), expected);
    EXPECT_EQ(c.refusal(gpu, cpus), expected);
  }
}

// ---------------------------------------------------------------- state of the node

TEST(Predicates, AShareAlsoNeedsASlotForItsReservation) {
  SmallCluster c = small_cluster();
  NodeObject object = node_object("node");
  object.allocatable.back().units = 2;
  const NodeId node = c.add(std::move(object));
  const TaskId cpu = c.add(pod_object("cpu")), share = c.add(fraction("share")),
               filler = c.add(pod_object("filler")), last = c.add(pod_object("last"));
  Statement statement(c.open());
  EXPECT_EQ(c.refusal(share, node), std::nullopt);
  statement.allocate(filler, node);
  EXPECT_EQ(c.refusal(share, node), NodeRule::kPodSlots);
  EXPECT_EQ(c.refusal(cpu, node), std::nullopt);
  statement.allocate(last, node);
  EXPECT_EQ(c.refusal(cpu, node), NodeRule::kResources);
}

class HostPortTest : public testing::Test {
 protected:
  HostPortTest() : node1_(c_.add(node_object("node1"))), node2_(c_.add(node_object("node2"))) {}
  static PodObject with_port(std::string name, std::int32_t port, std::string ip = "0.0.0.0") {
    return pod_object(std::move(name), {}, {.host_ports = {{std::move(ip), "TCP", port}}});
  }

  SmallCluster c_ = small_cluster();
  NodeId node1_, node2_;
};

TEST_F(HostPortTest, InUseOnTheNode) {
  c_.add(running(with_port("standing", 80, "10.0.0.1"), "node1"));
  const TaskId every = c_.add(with_port("every", 80)),
               other_ip = c_.add(with_port("other-ip", 80, "10.0.0.2")),
               other_port = c_.add(with_port("other-port", 81)), none = c_.add(pod_object("none"));
  c_.open();
  EXPECT_EQ(c_.refusal(every, node1_), NodeRule::kHostPorts);
  EXPECT_EQ(c_.refusal(every, node2_), std::nullopt);
  EXPECT_EQ(c_.refusal(other_ip, node1_), std::nullopt);
  EXPECT_EQ(c_.refusal(other_port, node1_), std::nullopt);
  EXPECT_EQ(c_.refusal(none, node1_), std::nullopt);
}

TEST_F(HostPortTest, PlacementsOfThisCycleCountUntilUndone) {
  const TaskId first = c_.add(with_port("first", 80)), second = c_.add(with_port("second", 80)),
               third = c_.add(with_port("third", 80));
  Statement statement(c_.open());
  EXPECT_EQ(c_.place(statement, first), "node1");
  EXPECT_EQ(c_.place(statement, second), "node2");
  EXPECT_EQ(c_.place(statement, third), "");
  statement.rollback(0);
  EXPECT_EQ(c_.place(statement, third), "node1");
}

TEST_F(HostPortTest, EvictingFreesNoPort) {
  const TaskId victim = c_.add(running(with_port("victim", 80), "node1")),
               task = c_.add(with_port("task", 80));
  Statement statement(c_.open());
  statement.evict(victim);
  EXPECT_EQ(c_.refusal(task, node1_), NodeRule::kHostPorts);
  statement.pipeline(victim, node2_);
  EXPECT_EQ(c_.refusal(task, node1_), NodeRule::kHostPorts);
  EXPECT_EQ(c_.refusal(task, node2_), NodeRule::kHostPorts);
  statement.rollback(0);
  EXPECT_EQ(c_.refusal(task, node2_), std::nullopt);
}

// ---------------------------------------------------------------- pod affinity

class AffinityTest : public testing::Test {
 protected:
  AffinityTest() {
    for (const auto& [name, zone] : {std::pair("node0", "a"), {"node1", "a"}, {"node2", "b"}})
      nodes_.push_back(c_.add(node_object(name, {{"host", name}, {"zone", zone}})));
    nodes_.push_back(c_.add(node_object("node3")));
  }
  std::vector<Rule> refusals(TaskId task) {
    std::vector<Rule> rules;
    for (NodeId n : nodes_) rules.push_back(c_.refusal(task, n));
    return rules;
  }

  const Labels database_{{"app", "database"}};
  const Constraints same_zone_other_node_{.pod_affinity = {near_app("database", "zone")},
                                          .pod_anti_affinity = {near_app("database", "host")}};
  SmallCluster c_ = small_cluster();
  std::vector<NodeId> nodes_;
};

constexpr NodeRule kFar = NodeRule::kPodAffinity, kTooNear = NodeRule::kPodAntiAffinity,
                   kUnwanted = NodeRule::kExistingAntiAffinity;
constexpr auto kFine = std::nullopt;
using Rules = std::vector<Rule>;

TEST_F(AffinityTest, SameZoneOtherNode) {
  c_.add(running(pod_object("db", database_), "node1"));
  const TaskId task = c_.add(pod_object("task", {}, same_zone_other_node_));
  Statement statement(c_.open());
  EXPECT_EQ(refusals(task), (Rules{kFine, kTooNear, kFar, kFar}));
  EXPECT_EQ(c_.place(statement, task), "node0");
}

TEST_F(AffinityTest, PendingWhereEveryNodeOfTheZoneRunsOne) {
  c_.add(running(pod_object("db-0", database_), "node0"));
  c_.add(running(pod_object("db-1", database_), "node1"));
  const TaskId task = c_.add(pod_object("task", {}, same_zone_other_node_));
  Statement statement(c_.open());
  EXPECT_EQ(refusals(task), (Rules{kTooNear, kTooNear, kFar, kFar}));
  EXPECT_EQ(c_.place(statement, task), "");
}

TEST_F(AffinityTest, PlacedPodsKeepNewPodsAway) {
  c_.add(running(pod_object("loner", {}, {.pod_anti_affinity = {near_app("database", "zone")}}), "node0"));
  const TaskId db = c_.add(pod_object("db", database_)), other = c_.add(pod_object("other"));
  c_.open();
  EXPECT_EQ(refusals(db), (Rules{kUnwanted, kUnwanted, kFine, kFine}));
  EXPECT_EQ(refusals(other), (Rules{kFine, kFine, kFine, kFine}));
}

TEST_F(AffinityTest, TheFirstOfASeriesGoesToAnyNodeWithTheLabel) {
  const Constraints together{.pod_affinity = {near_app("database", "zone")}};
  const TaskId first = c_.add(pod_object("first", database_, together)),
               second = c_.add(pod_object("second", database_, together)),
               stranger = c_.add(pod_object("stranger", {}, together));
  Statement statement(c_.open());
  EXPECT_EQ(refusals(first), (Rules{kFine, kFine, kFine, kFar}));
  EXPECT_EQ(refusals(stranger), (Rules{kFar, kFar, kFar, kFar}));
  statement.allocate(first, nodes_[2]);
  EXPECT_EQ(refusals(second), (Rules{kFar, kFar, kFine, kFar}));
  EXPECT_EQ(refusals(stranger), (Rules{kFar, kFar, kFine, kFar}));
  statement.rollback(0);
  EXPECT_EQ(refusals(second), (Rules{kFine, kFine, kFine, kFar}));
}

TEST_F(AffinityTest, OnePodMustMeetAllTerms) {
  PodAffinityTerm fast = near_app("database", "zone");
  fast.selector.requirements.push_back({"tier", Operator::kIn, {"fast"}});
  c_.add(running(pod_object("slow", database_), "node0"));
  c_.add(running(pod_object("quick", {{"app", "database"}, {"tier", "fast"}}), "node2"));
  const TaskId task = c_.add(pod_object("task", {}, {.pod_affinity = {near_app("database", "zone"), fast}}));
  c_.open();
  EXPECT_EQ(refusals(task), (Rules{kFar, kFar, kFine, kFar}));
}

TEST_F(AffinityTest, EvictedPodsStayVisible) {
  const TaskId db = c_.add(running(pod_object("db", database_), "node1"));
  const TaskId task = c_.add(pod_object("task", {}, {.pod_anti_affinity = {near_app("database", "host")}}));
  Statement statement(c_.open());
  statement.evict(db);
  EXPECT_EQ(refusals(task), (Rules{kFine, kTooNear, kFine, kFine}));
}

TEST_F(AffinityTest, APlacementActivatesTheAffinityFilter) {
  const TaskId loner = c_.add(pod_object("loner", {}, {.pod_anti_affinity = {near_app("database", "zone")}}));
  const TaskId db = c_.add(pod_object("db", database_));
  Statement statement(c_.open());
  EXPECT_EQ(refusals(db), (Rules{kFine, kFine, kFine, kFine}));
  statement.allocate(loner, nodes_[1]);
  EXPECT_EQ(refusals(db), (Rules{kUnwanted, kUnwanted, kFine, kFine}));
}

TEST_F(AffinityTest, PlacementsBeforeTheFirstUseCount) {
  const TaskId loner = c_.add(pod_object("loner", {}, {.pod_anti_affinity = {near_app("database", "zone")}}));
  const TaskId db = c_.add(pod_object("db", database_));
  Statement statement(c_.open());
  statement.allocate(loner, nodes_[1]);
  EXPECT_EQ(refusals(db), (Rules{kUnwanted, kUnwanted, kFine, kFine}));
  statement.rollback(0);
  EXPECT_EQ(refusals(db), (Rules{kFine, kFine, kFine, kFine}));
}

// ---------------------------------------------------------------- queue, largest node, config maps

struct CapacityGuard final : Plugin {
  void open(Session& session, Hooks& hooks) override {
    hooks.task_over_capacity.set("guard", [&c = session.cluster](TaskId, NodeId n) {
      return c.node(n).name == "small" ? std::optional(JobReason{.rule = JobRule::kOverLimit}) : std::nullopt;
    });
  }
};

TEST(Predicates, CapacityIsCheckedPerNodeForGpuMemoryOnly) {
  SmallCluster c = small_cluster();
  c.also({"guard", [] { return std::make_unique<CapacityGuard>(); }});
  const Labels known{{"nvidia.com/gpu.memory", "40960"}};
  const NodeId small = c.add(node_object("small", known)), large = c.add(node_object("large", known));
  const TaskId memory = c.add(gpu_memory("memory")), share = c.add(fraction("share"));
  c.open();
  EXPECT_EQ(c.refusal(memory, small), NodeRule::kQueueCapacity);
  EXPECT_EQ(c.refusal(memory, large), std::nullopt);
  EXPECT_EQ(c.refusal(share, small), std::nullopt);
}

TEST(Predicates, LargerThanAnyNode) {
  struct Case {
    std::vector<NamedAmount> requests;
    Kind kind;
    double wanted, bound;
  };
  const Case cases[] = {
      {{{"cpu", 64'001}}, kCpu, 64'001, 64'000},
      {{{"memory", (1 << 30) + 1}}, kMemory, (1 << 30) + 1, 1 << 30},
      {{{"cpu", 64'001}, {"nvidia.com/gpu", 9'000}}, kGpu, 9'000, 8'000},
      {{{"cpu", 1}, {"example.com/fpga", 1'000}}, Kind(4), 1'000, 0},
  };
  for (const Case& x : cases) {
    SmallCluster c = small_cluster();
    c.add(node_object("node"));
    PodObject object = pod_object("task");
    object.requests = x.requests;
    const TaskId task = c.add(std::move(object));
    const Session& s = c.open();
    for (const auto* hook : {&s.hooks.before_placing, &s.hooks.hopeless}) {
      const auto reason = (*hook)(task);
      ASSERT_TRUE(reason.has_value());
      EXPECT_EQ(reason->rule, JobRule::kLargerThanAnyNode);
      EXPECT_EQ(std::tuple(reason->kind, reason->wanted, reason->bound, reason->task),
                std::tuple(x.kind, x.wanted, x.bound, task));
    }
  }
}

TEST(Predicates, TheLargestOfEachKindMayBeOnDifferentNodes) {
  SmallCluster c = small_cluster();
  c.add(NodeObject{.meta = {.name = "cores"}, .allocatable = {{"cpu", 64'000}, {"pods", 10}}});
  c.add(NodeObject{.meta = {.name = "gpus"}, .allocatable = {{"nvidia.com/gpu", 2'000}, {"pods", 10}}});
  PodObject object = whole_gpu("task");
  object.requests.push_back({"cpu", 64'000});
  const TaskId both = c.add(std::move(object)), shares = c.add(fraction("shares", 1));
  c.open();
  EXPECT_FALSE(c.session().hooks.before_placing(both));
  EXPECT_FALSE(c.session().hooks.before_placing(shares));
}

TEST(Predicates, AShareNeedsSomeNodeWithGpus) {
  SmallCluster c = small_cluster();
  c.add(NodeObject{.meta = {.name = "cores"}, .allocatable = {{"cpu", 64'000}, {"pods", 10}}});
  const TaskId task = c.add(fraction("task"));
  c.open();
  const auto reason = c.session().hooks.before_placing(task);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(std::tuple(reason->kind, reason->wanted, reason->bound), std::tuple(kGpu, 500., 0.));
}

TEST(Predicates, ConfigMapsMustExistInThePodsNamespace) {
  SmallCluster c = small_cluster();
  c.add(node_object("node"));
  c.cluster().apply(ConfigMapObject{.meta = {.ns = "team", .name = "settings"}});
  c.cluster().apply(ConfigMapObject{.meta = {.ns = "other", .name = "secrets"}});
  const TaskId served = c.add(pod_object("served", {}, {.config_maps = {"settings"}}));
  const TaskId unserved = c.add(pod_object("unserved", {}, {.config_maps = {"settings", "secrets"}}));
  c.open();
  EXPECT_FALSE(c.session().hooks.before_placing(served));
  const auto reason = c.session().hooks.hopeless(unserved);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->rule, JobRule::kConfigMapMissing);
  EXPECT_EQ(reason->name, "secrets");
}

TEST(Predicates, APodWithABadGpuRequestWaits) {
  const auto decided = [](bool waits) {
    Config config;
    config.params.compatibility.wait_for_valid_gpus = waits;
    TestCluster c(config);
    c.node("n1").pending("a", {.gpus = 0, .constraints = {.bad_gpu_requests = {{"gpu-fraction", "1.5"}}}});
    const std::string decisions = c.cycle();
    return decisions + c.why("a");
  };
  EXPECT_EQ(decided(true), "gpu-fraction \"1.5\" of pod a-0 must be a number above 0 and at most 1");
  EXPECT_EQ(decided(false), "bind a-0 n1");
}

TEST(Predicates, WithoutPortsAndAffinityNoMovesAreTracked) {
  SmallCluster c = small_cluster();
  c.add(node_object("node"));
  c.add(pod_object("task"));
  const Session& s = c.open();
  EXPECT_TRUE(s.hooks.moved.empty());
  EXPECT_TRUE(s.hooks.state_filter.empty());
  EXPECT_TRUE(s.hooks.node_filter.empty());
}

}  // namespace
}  // namespace muster::plugins
