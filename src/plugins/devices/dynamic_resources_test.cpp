// Which devices claims get, who shares them, and what is said where they get none.
#include "plugins/devices/dynamic_resources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "engine/cycle/statement.hpp"
#include "engine/place/allocation.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::HasSubstr;

DeviceSpec device(std::string name, std::string model = "A", std::int64_t numa = 0) {
  return {.name = std::move(name),
          .attributes = {{.name = "model", .text = std::move(model)},
                         {.name = "numa", .type = DeviceAttribute::Type::kInt, .number = numa}},
          .capacity = {{"memory", std::int64_t{40} * (1 << 30) * 1000}}};
}

DeviceRequest request(std::int64_t count = 1, std::string selector = "") {
  DeviceRequest made{.name = "r", .device_class = "gpu.example.com", .count = count};
  if (!selector.empty()) made.selectors.push_back(std::move(selector));
  return made;
}

// Nodes whose only GPUs are in slices, and jobs of one pod that claims devices.
class DeviceCluster : public TestCluster {
 public:
  enum class Actions { kAllocate, kAll };
  explicit DeviceCluster(Config config = {}, Actions actions = Actions::kAllocate)
      : TestCluster(std::move(config)) {
    if (actions == Actions::kAllocate) only({"allocate"});
    cluster().apply(DeviceClassObject{.meta = {.name = "gpu.example.com"}});
  }
  DeviceCluster& node_with(const std::string& name, std::vector<DeviceSpec> devices) {
    node(name, {.gpus = 0});
    cluster().apply(ResourceSliceObject{.meta = {.name = name},
                                        .driver = "gpu.example.com",
                                        .pool = name,
                                        .reach = {.node = name},
                                        .devices = std::move(devices)});
    return *this;
  }
  DeviceCluster& claim(ResourceClaimObject object) {
    object.meta.ns = "default";
    object.meta.uid = object.meta.name;
    if (object.meta.labels.empty()) object.meta.labels = {{"kai.scheduler/queue", "default"}};
    cluster().apply(std::move(object));
    return *this;
  }
  DeviceCluster& claim(const std::string& name, DeviceRequest wanted) {
    return claim({.meta = {.name = name}, .requests = {std::move(wanted)}});
  }
  DeviceCluster& pod(const std::string& name, const std::string& claim, int tasks = 1) {
    pending(name, {.tasks = tasks, .gpus = 0, .constraints = using_claim(claim)});
    return *this;
  }
  static Constraints using_claim(const std::string& claim) {
    return {.resource_claims = {{.name = "c", .claim = claim, .from_template = false}}};
  }
  std::string devices_of(const std::string& task) const {
    std::string text;
    const auto& held = cluster().holding(cluster().placement(task_id(task)).holding);
    for (AllocationId a : held.claims)
      for (const AllocatedDevice& d : cluster().devices().allocation(a).object.devices)
        text += (text.empty() ? "" : " ") + d.pool + "/" + d.device;
    return text;
  }
};

// Worked example 37 of the specification.
TEST(DeviceClaims, EveryClaimGetsADeviceOfItsOwn) {
  DeviceCluster c;
  c.node_with("node0", {device("0")}).node_with("node1", {device("0")});
  c.claim("a", request()).claim("b", request()).claim("c", request(2));
  c.pod("a", "a").pod("b", "b").pod("c", "c");
  EXPECT_EQ(c.cycle(), "bind a-0 node0; bind b-0 node1");
  EXPECT_EQ(c.why("c"), "pod c-0 needs 2 GPUs; the largest node has 1 GPU");
  EXPECT_EQ(c.devices_of("a-0"), "node0/0");
  EXPECT_EQ(c.devices_of("b-0"), "node1/0");
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(DeviceClaims, ASharedDeviceCountsOnceAndPodsOfOneCycleJoin) {
  DeviceCluster c;
  c.node_with("n1", {device("0")}).node_with("n2", {device("0")});
  c.claim("shared", request());
  c.pod("a", "shared", 3);
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind a-1 n1; bind a-2 n1");
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), 0);
  EXPECT_EQ(c.cluster().recount(), "");
  c.claim("own", request());
  c.pod("b", "own");
  EXPECT_EQ(c.cycle(), "bind b-0 n2");
}

TEST(DeviceClaims, KaiLetsPodsJoinADeviceOnlyInTheNextCycle) {
  Config config;
  config.params.compatibility = Compatibility::kai_exact();
  DeviceCluster c(config);
  c.node_with("n1", {device("0")});
  c.claim("shared", request());
  c.pod("a", "shared").pod("b", "shared");
  EXPECT_EQ(c.cycle(), "bind a-0 n1");
  EXPECT_EQ(c.cycle(), "bind b-0 n1") << c.why("b");
}

TEST(DeviceClaims, TaintedDevicesAreForThoseWhoTolerateThem) {
  const auto tainted = [](std::string name, TaintEffect effect) {
    DeviceSpec made = device(std::move(name));
    made.taints.push_back({.key = "broken", .value = "fan", .effect = effect});
    return made;
  };
  const auto cluster = [&](Config config = {}) {
    auto c = std::make_unique<DeviceCluster>(std::move(config));
    c->node_with("n1", {tainted("0", TaintEffect::kNoSchedule)})
        .node_with("n2", {tainted("0", TaintEffect::kNoExecute), device("1")});
    DeviceRequest tolerant = request(), all = request();
    tolerant.tolerations.push_back({.key = "broken", .exists = true});
    all.all = true;
    c->claim("a", request()).claim("b", tolerant).claim("c", request()).claim("d", all);
    c->pod("a", "a").pod("b", "b").pod("c", "c").pod("d", "d");
    return c;
  };
  const auto ours = cluster();
  EXPECT_EQ(ours->cycle(), "bind a-0 n2; bind b-0 n1");
  EXPECT_EQ(ours->devices_of("a-0"), "n2/1");
  EXPECT_THAT(ours->why("c"), HasSubstr("claim c needs 1 matching device, 0 free"));
  Config as_kai;
  as_kai.params.compatibility.device_claims_in_full = false;
  EXPECT_EQ(cluster(as_kai)->cycle(), "bind a-0 n1; bind b-0 n2; bind c-0 n2");
}

TEST(DeviceClaims, RulesTaintTheDevicesThatTheySelect) {
  struct Case {
    std::string driver, pool, device, expected;
  };
  for (const Case& row : {Case{"", "", "", ""},
                          {"gpu.example.com", "", "", ""},
                          {"other", "", "", "n2/0"},
                          {"", "n2", "", "n1/0"},
                          {"", "n2", "1", "n2/0"},
                          {"", "", "0", "n1/1"}}) {
    DeviceCluster c;
    c.node_with("n1", {device("0"), device("1")}).node_with("n2", {device("0")});
    c.claim("a", request()).pod("a", "a");
    c.cluster().apply(DeviceTaintRuleObject{.meta = {.name = "r"},
                                            .selects = true,
                                            .driver = row.driver,
                                            .pool = row.pool,
                                            .device = row.device,
                                            .taints = {{"broken", "", TaintEffect::kNoExecute}}});
    c.cycle();
    EXPECT_EQ(c.devices_of("a-0"), row.expected) << row.driver << "/" << row.pool << "/" << row.device;
    c.cluster().remove("DeviceTaintRule", "", "r");
    c.cycle();
    EXPECT_NE(c.devices_of("a-0"), "");
  }
}

// ---- amounts for which devices stand

constexpr const char* kImplied = "deviceclass.resource.kubernetes.io/gpu.example.com";

void name_class(DeviceCluster& c, std::string resource) {
  c.cluster().apply(
      DeviceClassObject{.meta = {.name = "gpu.example.com"}, .extended_resource = std::move(resource)});
}

void ask(DeviceCluster& c, const std::string& job, const std::string& resource, int count = 1) {
  c.pending(job, {.tasks = 0, .min = 1});
  c.task(job, job + "-0", {.gpus = 0, .extra = {{resource, count * 1000}}});
}

TEST(ExtendedResources, DevicesOfTheClassServeThem) {
  DeviceCluster c;
  name_class(c, "example.com/fast");
  c.node_with("n1", {device("0"), device("1")}).node_with("n2", {device("0")});
  ask(c, "a", "example.com/fast", 2);
  ask(c, "b", kImplied);
  ask(c, "c", "example.com/fast");
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind b-0 n2");
  EXPECT_EQ(c.devices_of("a-0"), "n1/0 n1/1");
  EXPECT_EQ(c.devices_of("b-0"), "n2/0");
  EXPECT_THAT(c.why("c"), HasSubstr("needs 1 matching device, 0 free"));
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(ExtendedResources, AClassMayComeAndGoWhileItIsAskedFor) {
  DeviceCluster c;
  c.node_with("n1", {device("0")});
  ask(c, "a", "example.com/fast");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("a"), HasSubstr("example.com/fast"));
  name_class(c, "example.com/fast");
  c.cluster().refresh(c.now());
  name_class(c, "example.com/other");
  EXPECT_EQ(c.cycle(), "");
  name_class(c, "example.com/fast");
  EXPECT_EQ(c.cycle(), "bind a-0 n1");
  ask(c, "b", "example.com/fast");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("b"), HasSubstr("needs 1 matching device, 0 free"));
  c.cluster().remove("Pod", "default", "a-0");
  EXPECT_EQ(c.cycle(), "bind b-0 n1") << c.why("b");
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(ExtendedResources, WhatNodesOfferAsAnAmountIsOne) {
  DeviceCluster c;
  name_class(c, "example.com/fast");
  c.node_with("n1", {device("0")}).node("n2", {.gpus = 0, .extra = {{"example.com/fast", 1000}}});
  ask(c, "a", "example.com/fast");
  ask(c, "b", "example.com/fast");
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
  EXPECT_EQ(c.devices_of("a-0"), "");
}

// GPUs that containers ask for are charged once, and come from slices only where the node has no others.
TEST(ExtendedResources, GpusComeFromSlicesWhereANodeHasNoOthers) {
  DeviceCluster c;
  name_class(c, "nvidia.com/gpu");
  c.node_with("n1", {device("0"), device("1")}).node("n2", {.gpus = 2});
  c.queue("small", {.limit = 2});
  c.pending("a", {.gpus = 2}).pending("b", {.gpus = 2}).pending("c", {.gpus = 1});
  c.pending("d", {.queue = "small", .gpus = 3});
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind b-0 n2");
  EXPECT_EQ(c.devices_of("a-0"), "n1/0 n1/1");
  EXPECT_EQ(c.devices_of("b-0"), "");
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), 0);
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST(DeviceClaims, GpusOfClaimsCountInQuotaAndLimit) {
  DeviceCluster c;
  c.node_with("n1", {device("0"), device("1")});
  c.queue("small", {.limit = 1});
  c.claim({.meta = {.name = "two", .labels = {{"kai.scheduler/queue", "small"}}}, .requests = {request(2)}});
  c.pending("a", {.queue = "small", .gpus = 0, .constraints = DeviceCluster::using_claim("two")});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"), "queue small has a limit of 1 GPU: 0 in use, 2 more requested");
}

TEST(DeviceClaims, ObstaclesAreNamed) {
  DeviceCluster c;
  c.node_with("n1", {device("0")});
  c.pod("missing", "nowhere").pod("unmade", "");
  c.claim(
      {.meta = {.name = "foreign", .labels = {{"kai.scheduler/queue", "other"}}}, .requests = {request()}});
  c.pod("foreign", "foreign");
  DeviceRequest classless = request();
  classless.device_class = "unknown-gpu";
  c.claim("classless", classless).pod("classless", "classless");
  ResourceClaimObject full{.meta = {.name = "full"}, .requests = {request()}};
  for (int i = 0; i < 256; ++i) full.reserved_for.push_back("pod-" + std::to_string(i));
  c.claim(full).pod("full", "full");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("missing"), "ResourceClaim \"nowhere\" does not exist");
  EXPECT_EQ(c.why("unmade"), "the ResourceClaim for \"c\" has not been created yet");
  EXPECT_EQ(c.why("foreign"), "ResourceClaim \"foreign\" shares GPUs of queue other");
  EXPECT_EQ(c.why("classless"), "DeviceClass \"unknown-gpu\" of ResourceClaim \"classless\" does not exist");
  EXPECT_EQ(c.why("full"), "ResourceClaim \"full\" has 256 consumers, the maximum");
}

TEST(DeviceClaims, OffMeansThatPodsWithClaimsWait) {
  Config config;
  config.params.dynamic_resource_allocation = false;
  DeviceCluster c(config);
  c.node_with("n1", {device("0")}).claim("a", request()).pod("a", "a");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"), "uses ResourceClaim \"c\", but dynamic resource allocation is off");
}

TEST(DeviceClaims, SelectorsChooseAmongDevices) {
  DeviceCluster c;
  c.node_with("n1", {device("0", "A"), device("1", "B"), device("2", "B")});
  c.claim("b", request(1, "device.attributes['gpu.example.com'].model == 'B'")).pod("b", "b");
  c.claim("big", request(1, "device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('80Gi'))"));
  c.pod("big", "big");
  c.claim("odd", request(1, "device.attributes.transformMap(x, x) == 1")).pod("odd", "odd");
  c.claim("unset", request(1, "device.attributes['gpu.example.com'].color == 'red'")).pod("unset", "unset");
  EXPECT_EQ(c.cycle(), "bind b-0 n1") << c.why("b");
  EXPECT_EQ(c.devices_of("b-0"), "n1/1");
  EXPECT_EQ(c.why("big"), "no room for pod big-0: 1 node: claim big needs 1 matching device, 0 free");
  EXPECT_EQ(c.why("odd"),
            "no room for pod odd-0: 1 node: claim odd (character 19: \"transformMap\" is not supported): its "
            "devices cannot be selected");
  EXPECT_EQ(c.why("unset"),
            "no room for pod unset-0: 1 node: claim unset (the device has no \"gpu.example.com/color\"): its "
            "devices cannot be selected");
}

TEST(DeviceClaims, DevicesOfAConstraintShareTheAttribute) {
  DeviceCluster c;
  c.node_with("n1", {device("0", "A", 0), device("1", "A", 1), device("2", "A", 0), device("3", "A", 1)});
  const DeviceConstraint same_numa{.match_attribute = "gpu.example.com/numa"};
  c.claim({.meta = {.name = "a"}, .requests = {request(2)}, .constraints = {same_numa}}).pod("a", "a");
  c.claim({.meta = {.name = "b"}, .requests = {request(2)}, .constraints = {same_numa}}).pod("b", "b");
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind b-0 n1");
  EXPECT_EQ(c.devices_of("a-0"), "n1/0 n1/2");
  EXPECT_EQ(c.devices_of("b-0"), "n1/1 n1/3");
}

TEST(DeviceClaims, AllMeansAllThatMatchAndNoneInUse) {
  DeviceCluster c;
  c.node_with("n1", {device("0", "A"), device("1", "B"), device("2", "B")});
  DeviceRequest all_b = request(1, "device.attributes['gpu.example.com'].model == 'B'");
  all_b.all = true;
  c.claim("a", all_b).pod("a", "a");
  EXPECT_EQ(c.cycle(), "bind a-0 n1");
  EXPECT_EQ(c.devices_of("a-0"), "n1/1 n1/2");
  c.claim("b", all_b).pod("b", "b");
  EXPECT_EQ(c.cycle(), "");
}

TEST(DeviceClaims, WatchersAndAlternativesAreServedUnlessKaiIsFollowed) {
  const auto cluster = [](Config config) {
    auto c = std::make_unique<DeviceCluster>(std::move(config));
    c->node_with("n1", {device("0", "A"), device("1", "A")});
    DeviceRequest watch = request();
    watch.admin_access = true;
    watch.device_class = "any.example.com";
    c->cluster().apply(DeviceClassObject{.meta = {.name = "any.example.com"}});
    DeviceRequest either{.name = "r", .alternatives = {request(3), request(1)}};
    either.alternatives[0].name = "three", either.alternatives[1].name = "one";
    c->claim("w", watch).claim("e", either);
    c->pod("e", "e").pod("w", "w");
    return c;
  };
  auto ours = cluster({});
  EXPECT_EQ(ours->cycle(), "bind e-0 n1; bind w-0 n1");
  EXPECT_EQ(ours->devices_of("e-0"), "n1/0");
  EXPECT_EQ(ours->devices_of("w-0"), "n1/0") << "looks at a device that another claim holds";
  Config kai;
  kai.params.compatibility = Compatibility::kai_exact();
  EXPECT_EQ(cluster(kai)->cycle(), "");
}

TEST(DeviceClaims, AllocatedClaimsBindTheirPodsToTheirNodes) {
  DeviceCluster c;
  c.node_with("n1", {device("0")}).node_with("n2", {device("0")});
  ResourceClaimObject held{.meta = {.name = "a"}, .requests = {request()}, .reserved_for = {"x"}};
  held.allocation = AllocationObject{.devices = {{"r", "gpu.example.com", "n2", "0"}},
                                     .has_selector = true,
                                     .selector = {{.fields = {{"metadata.name", Operator::kIn, {"n2"}}}}}};
  c.claim(held).pod("a", "a");
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
}

TEST(DeviceClaims, EvictedPodsGiveTheirDevicesBack) {
  DeviceCluster c({}, DeviceCluster::Actions::kAll);
  c.node_with("n1", {device("0")});
  c.claim("low", request()).claim("high", request());
  c.pod("low", "low");
  EXPECT_EQ(c.cycle(), "bind low-0 n1");
  c.pending("high", {.gpus = 0, .priority = 75, .constraints = DeviceCluster::using_claim("high")});
  EXPECT_EQ(c.cycle(), "evict low-0; pipeline high-0 n1");
  EXPECT_EQ(c.cycle(), "bind high-0 n1");
  EXPECT_EQ(c.devices_of("high-0"), "n1/0");
  EXPECT_EQ(c.cluster().recount(), "");
}

// Whatever a statement did to pods with claims, undone it never happened.
TEST(DeviceClaims, StatementsRollBackExactly) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
    DeviceCluster c;
    for (int n = 0; n < 3; ++n) {
      std::vector<DeviceSpec> devices;
      for (std::size_t d = 0; d <= below(4); ++d) devices.push_back(device(std::to_string(d)));
      c.node_with("n" + std::to_string(n), devices);
    }
    std::vector<std::string> jobs;
    for (int j = 0; j < 8; ++j) {
      jobs.push_back("j" + std::to_string(j));
      const std::string claim = "c" + std::to_string(below(5));
      c.claim(claim, request(static_cast<std::int64_t>(1 + below(2))));
      c.pod(jobs.back(), claim);
    }
    c.cycle();
    Session& session = c.open();
    const std::string before = c.cluster().fingerprint();
    {
      Statement statement(session);
      std::vector<std::pair<Statement::Checkpoint, std::string>> checkpoints;
      for (int step = 0; step < 40; ++step) {
        const TaskId t = c.task_id(jobs[below(jobs.size())] + "-0");
        const Placement& at = c.cluster().placement(t);
        const std::vector<TaskId> tasks{t};
        const JobId job = c.cluster().task(t).job;
        if (at.status == TaskStatus::kPending || at.virtually_evicted)
          (void)allocate_or_refuse(session, statement,
                                   {.job = job, .tasks = tasks, .pipeline_only = at.virtually_evicted});
        else if (in(at.status, kActiveAllocated))
          statement.evict(t);
        ASSERT_EQ(c.cluster().recount(), "") << "seed " << seed << " step " << step;
        if (below(4) == 0) checkpoints.emplace_back(statement.checkpoint(), c.cluster().fingerprint());
        if (checkpoints.empty() || below(6) != 0) continue;
        statement.rollback(checkpoints.back().first);
        ASSERT_EQ(c.cluster().fingerprint(), checkpoints.back().second)
            << "seed " << seed << " step " << step;
        checkpoints.pop_back();
      }
    }
    EXPECT_EQ(c.cluster().fingerprint(), before) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster
