// Which claims block a pod, which nodes reach a volume, and which volume goes to which claim.
#include "plugins/predicates/volumes.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

constexpr std::int64_t kGb = 1'000'000'000;

// Three nodes in two zones.
class VolumeCluster : public TestCluster {
 public:
  explicit VolumeCluster(Config config = {}) : TestCluster(std::move(config)) {
    only({"allocate"});
    node("n1", {.labels = {{"zone", "a"}}})
        .node("n2", {.labels = {{"zone", "b"}}})
        .node("n3", {.labels = {{"zone", "b"}}});
    cluster().apply(
        StorageClassObject{.meta = {.name = "wait"}, .provisioner = "csi", .wait_for_first_consumer = true});
    cluster().apply(StorageClassObject{.meta = {.name = "now"}, .provisioner = "csi"});
    cluster().apply(StorageClassObject{.meta = {.name = "local"},
                                       .provisioner = "kubernetes.io/no-provisioner",
                                       .wait_for_first_consumer = true});
    cluster().apply(StorageClassObject{.meta = {.name = "zonal"},
                                       .provisioner = "csi",
                                       .wait_for_first_consumer = true,
                                       .allowed_topologies = {in_zone("b")}});
  }
  static NodeTerm in_zone(const std::string& zone) { return {.labels = {{"zone", Operator::kIn, {zone}}}}; }

  VolumeCluster& claim(VolumeClaimObject object) {
    object.meta.ns = "default";
    object.meta.uid = object.meta.name;
    if (object.bytes == 0) object.bytes = 10 * kGb;
    cluster().apply(std::move(object));
    return *this;
  }
  VolumeCluster& claim(const std::string& name, const std::string& storage_class) {
    return claim({.meta = {.name = name}, .storage_class = storage_class});
  }
  VolumeCluster& volume(const std::string& name, std::int64_t gb, const std::string& zone,
                        const std::string& storage_class = "local") {
    cluster().apply(VolumeObject{.meta = {.name = name},
                                 .storage_class = storage_class,
                                 .phase = "Available",
                                 .bytes = gb * kGb,
                                 .has_node_affinity = true,
                                 .node_affinity = {in_zone(zone)}});
    return *this;
  }
  VolumeCluster& pod(const std::string& name, std::vector<std::string> claims) {
    pending(name, {.gpus = 1, .constraints = {.volume_claims = std::move(claims)}});
    return *this;
  }
};

TEST(Volumes, ObstaclesAreReportedAndEndTheSearch) {
  VolumeCluster c;
  c.pod("missing", {"nowhere"});
  c.claim("early", "now").pod("early", {"early"});
  c.claim({.meta = {.name = "classless"}}).pod("classless", {"classless"});
  c.claim("unknown", "unknown").pod("unknown", {"unknown"});
  c.claim({.meta = {.name = "lost"}, .volume = "gone", .bound = true}).pod("lost", {"lost"});
  c.volume("kept", 10, "a");
  c.claim({.meta = {.name = "going"}, .volume = "kept", .bound = true, .is_going = true})
      .pod("going", {"going"});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("going"), "PersistentVolumeClaim \"going\" is being deleted");
  EXPECT_EQ(c.why("missing"), "PersistentVolumeClaim \"nowhere\" does not exist");
  EXPECT_EQ(c.why("early"), "PersistentVolumeClaim \"early\" is not bound to a volume");
  EXPECT_EQ(c.why("classless"), "PersistentVolumeClaim \"classless\" is not bound to a volume");
  EXPECT_EQ(c.why("unknown"), "StorageClass \"unknown\" of PersistentVolumeClaim \"unknown\" does not exist");
  EXPECT_EQ(c.why("lost"), "PersistentVolume \"gone\" of PersistentVolumeClaim \"lost\" does not exist");
  Session& session = c.open();
  EXPECT_TRUE(session.hooks.hopeless(c.task_id("unknown-0")).has_value());
}

TEST(Volumes, PodsFollowTheVolumesOfTheirClaims) {
  VolumeCluster c;
  c.volume("v", 10, "b").claim({.meta = {.name = "data"}, .volume = "v", .bound = true});
  c.pod("a", {"data"});
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
}

TEST(Volumes, ExistingVolumesAreMatchedBySizeModesAndLabels) {
  VolumeCluster c;
  c.volume("small", 5, "a").volume("fits", 10, "b").volume("other-class", 10, "a", "wait");
  c.claim("data", "local").pod("a", {"data"});
  c.claim({.meta = {.name = "block"}, .storage_class = "local", .volume_mode = "Block"})
      .pod("block", {"block"});
  c.claim({.meta = {.name = "many"}, .storage_class = "local", .access_modes = {"ReadWriteMany"}})
      .pod("many", {"many"});
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
  EXPECT_EQ(
      c.why("block"),
      "no room for pod block-0: 3 nodes: volume claim block cannot be satisfied there (StorageClass/local)");
  EXPECT_EQ(
      c.why("many"),
      "no room for pod many-0: 3 nodes: volume claim many cannot be satisfied there (StorageClass/local)");
}

TEST(Volumes, OneVolumeServesOneClaimOfAPod) {
  VolumeCluster c;
  c.volume("only", 10, "a");
  c.claim("x", "local").claim("y", "local").pod("a", {"x", "y"});
  EXPECT_EQ(c.cycle(), "");
  c.volume("second", 20, "a");
  EXPECT_EQ(c.cycle(), "bind a-0 n1");
}

// The volumes that the last cycle gave to the pod's claims.
std::vector<std::string> given_to(const VolumeCluster& c, const std::string& pod) {
  for (const BindDecision& bind : c.decisions().binds)
    if (bind.task == c.task_id(pod)) return c.cluster().holding(bind.holding).volumes;
  return {"it is not bound"};
}

TEST(Volumes, OneVolumeServesOnePodOfACycle) {
  VolumeCluster c;
  c.volume("first", 10, "a").volume("second", 20, "b");
  for (const char* name : {"x", "y", "z"}) c.claim(name, "local").pod(name, {name});
  EXPECT_EQ(c.cycle(), "bind x-0 n1; bind y-0 n2");
  EXPECT_EQ(given_to(c, "x-0"), std::vector<std::string>{"first"});
  EXPECT_EQ(given_to(c, "y-0"), std::vector<std::string>{"second"});
  EXPECT_EQ(c.why("z"),
            "no room for pod z-0: 3 nodes: volume claim z cannot be satisfied there (StorageClass/local)");
}

VolumeCluster with_reserved_volume(std::int64_t gb, const std::string& phase) {
  VolumeCluster c;
  c.volume("other", 10, "a").volume("mine", gb, "b").claim("data", "local").pod("a", {"data"});
  VolumeObject mine = *c.cluster().kept().find<VolumeObject>("mine");
  mine.claim_ns = "default";
  mine.claim_name = "data";
  mine.phase = phase;
  c.cluster().apply(mine);
  return c;
}

TEST(Volumes, AClaimWithAReservedVolumeGetsNoOther) {
  VolumeCluster c = with_reserved_volume(20, "Available");
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
  EXPECT_EQ(given_to(c, "a-0"), std::vector<std::string>{"mine"});
}

TEST(Volumes, AnUnsuitableReservedVolumeDoesNotBlockTheClaim) {
  EXPECT_EQ(with_reserved_volume(5, "Available").cycle(), "bind a-0 n1");
  EXPECT_EQ(with_reserved_volume(20, "Terminating").cycle(), "bind a-0 n1");
}

TEST(Volumes, VolumesOfPendingBindsAreTaken) {
  VolumeCluster c;
  c.volume("only", 10, "b").claim("x", "local").claim("y", "local").pod("x", {"x"}).pod("y", {"y"});
  c.cluster().apply(BindRequestObject{
      .meta = {.ns = "default", .name = "y-0"}, .pod = "y-0", .node = "n2", .volumes = {"only"}});
  EXPECT_EQ(c.cycle(), "");
}

TEST(Volumes, PodsThatShareAClaimGoWhereItsVolumeIs) {
  VolumeCluster c;
  c.volume("in-b", 10, "b").volume("also-in-b", 10, "b").claim("data", "local");
  c.pending("gang", {.tasks = 2, .gpus = 8, .constraints = {.volume_claims = {"data"}}});
  EXPECT_EQ(c.cycle(), "bind gang-0 n2; bind gang-1 n3");
  EXPECT_EQ(given_to(c, "gang-0"), given_to(c, "gang-1"));
}

TEST(Volumes, PodsThatShareAClaimGoToTheNodeOfItsNewVolume) {
  VolumeCluster c;
  c.claim("data", "wait");
  c.pending("gang", {.tasks = 2, .gpus = 8, .constraints = {.volume_claims = {"data"}}});
  EXPECT_EQ(c.cycle(), "");
  c.pod("one", {"data"}).pod("two", {"data"});
  EXPECT_EQ(c.cycle(), "bind one-0 n1; bind two-0 n1");
  EXPECT_EQ(given_to(c, "one-0"), std::vector<std::string>{});
}

TEST(Volumes, AGangWithTooFewVolumesDoesNotStart) {
  VolumeCluster c;
  c.volume("only", 10, "b").claim("x", "local").claim("y", "local");
  c.pending("gang", {.tasks = 1, .min = 2, .constraints = {.volume_claims = {"x"}}});
  c.task("gang", "gang-1", {.constraints = {.volume_claims = {"y"}}});
  EXPECT_EQ(c.cycle(), "");
  c.volume("second", 10, "a");
  EXPECT_EQ(c.cycle(), "bind gang-0 n1; bind gang-1 n2");
}

TEST(Volumes, LikeKaiTwoPodsOfACycleMayGetTheSameVolume) {
  Config config;
  config.params.compatibility.each_volume_once = false;
  VolumeCluster c(config);
  c.volume("only", 10, "a").claim("x", "local").claim("y", "local").pod("a", {"x"}).pod("b", {"y"});
  EXPECT_EQ(c.cycle(), "bind a-0 n1; bind b-0 n1");
}

TEST(Volumes, AReservedVolumeGoesToNoOtherClaim) {
  VolumeCluster c;
  c.cluster().apply(VolumeObject{.meta = {.name = "v"},
                                 .storage_class = "local",
                                 .claim_ns = "default",
                                 .claim_name = "mine",
                                 .bytes = 50 * kGb,
                                 .has_node_affinity = true,
                                 .node_affinity = {VolumeCluster::in_zone("b")}});
  c.claim("mine", "local").claim("theirs", "local").pod("mine", {"mine"}).pod("theirs", {"theirs"});
  EXPECT_EQ(c.cycle(), "bind mine-0 n2");
}

TEST(Volumes, NewVolumesAreCreatedWhereTheClassAllows) {
  VolumeCluster c;
  c.claim("data", "zonal").pod("a", {"data"});
  c.claim({.meta = {.name = "chosen"}, .storage_class = "wait", .selected_node = "n3"}).pod("b", {"chosen"});
  EXPECT_EQ(c.cycle(), "bind a-0 n2; bind b-0 n3");
}

TEST(Volumes, DriversThatPublishCapacityMustHaveRoom) {
  VolumeCluster c;
  c.cluster().apply(CsiDriverObject{.meta = {.name = "csi"}, .storage_capacity = true});
  const LabelSelector zone_b{.present = true, .requirements = {{"zone", Operator::kIn, {"b"}}}};
  c.cluster().apply(StorageCapacityObject{.meta = {.ns = "x", .name = "k"},
                                          .storage_class = "wait",
                                          .node_topology = zone_b,
                                          .capacity = 15 * kGb});
  c.claim("data", "wait").pod("a", {"data"});
  c.claim({.meta = {.name = "large"}, .storage_class = "wait", .bytes = 20 * kGb}).pod("large", {"large"});
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
  EXPECT_EQ(c.why("large"),
            "no room for pod large-0: 3 nodes: storage class wait has 15 GB there, 20 GB requested");
}

// ---------------------------------------------------------------- what a driver can attach

struct LimitedCluster : VolumeCluster {
  using VolumeCluster::VolumeCluster;
  LimitedCluster& limit(const std::string& node, std::int64_t most) {
    cluster().apply(CsiNodeObject{.meta = {.name = node}, .drivers = {{"csi", most}}});
    return *this;
  }
  void on_n1(const std::string& name, const std::string& handle) {
    cluster().apply(VolumeObject{
        .meta = {.name = name}, .storage_class = "wait", .csi_driver = "csi", .csi_handle = handle});
    claim({.meta = {.name = name}, .storage_class = "wait", .volume = name, .bound = true});
    running(name, {.node = "n1", .constraints = {.volume_claims = {name}}});
  }
};

TEST(AttachLimits, NodesTakeNoMoreVolumesThanTheirDriversAttach) {
  LimitedCluster c;
  c.limit("n1", 2).limit("n2", 0).limit("n3", 0).on_n1("old", "h");
  for (const char* name : {"x", "y"}) c.claim(name, "wait").pod(name, {name});
  EXPECT_EQ(c.cycle(), "bind x-0 n1");
  EXPECT_EQ(c.why("y"),
            "no room for pod y-0: 3 nodes: driver csi can attach 0 more volumes there, 1 requested");
}

TEST(AttachLimits, AVolumeCountsOnceOnANode) {
  LimitedCluster c;
  c.limit("n1", 1).limit("n2", 0).limit("n3", 0).on_n1("old", "h");
  c.pod("again", {"old"});
  EXPECT_EQ(c.cycle(), "bind again-0 n1");
}

TEST(AttachLimits, DriversAndNodesWithoutALimitAreUnlimited) {
  LimitedCluster c;
  c.limit("n1", 0);
  c.cluster().apply(CsiNodeObject{.meta = {.name = "n2"}, .drivers = {{"other", 0}}});
  c.claim("x", "wait").pod("x", {"x"});
  EXPECT_EQ(c.cycle(), "bind x-0 n2");
}

TEST(AttachLimits, LikeKaiLimitsCanBeIgnored) {
  Config config;
  config.params.compatibility.volume_limits = false;
  LimitedCluster c(config);
  c.limit("n1", 0).limit("n2", 0).limit("n3", 0).claim("x", "wait").pod("x", {"x"});
  EXPECT_EQ(c.cycle(), "bind x-0 n1");
}

// ---------------------------------------------------------------- scheduleCSIStorage

Config with_accounting() {
  Config config;
  config.params.schedule_csi_storage = true;
  return config;
}

struct AccountedCluster : VolumeCluster {
  AccountedCluster() : VolumeCluster(with_accounting()) {
    cluster().apply(CsiDriverObject{.meta = {.name = "csi"}});
    capacity("k", "b", 25);
  }
  void capacity(const std::string& name, const std::string& zone, std::int64_t gb) {
    const LabelSelector nodes{.present = true, .requirements = {{"zone", Operator::kIn, {zone}}}};
    cluster().apply(StorageCapacityObject{.meta = {.ns = "x", .name = name},
                                          .storage_class = "wait",
                                          .node_topology = nodes,
                                          .capacity = gb * kGb});
  }
};

TEST(StorageRoom, ClaimsOfThisCycleShareOneCapacity) {
  AccountedCluster c;
  for (const char* name : {"a", "b", "c"}) c.claim(name, "wait").pod(name, {name});
  EXPECT_EQ(c.cycle(), "bind a-0 n2; bind b-0 n2");
  EXPECT_EQ(c.why("c"), "no room for pod c-0: 3 nodes: storage class wait has 5 GB there, 10 GB requested");
}

TEST(StorageRoom, BoundClaimsAreInTheCapacityAlready) {
  AccountedCluster c;
  c.volume("v", 20, "b", "wait");
  c.claim(
      {.meta = {.name = "old"}, .storage_class = "wait", .volume = "v", .bound = true, .bytes = 20 * kGb});
  c.running("old", {.node = "n2", .constraints = {.volume_claims = {"old"}}});
  c.claim("new", "wait").pod("new", {"new"});
  EXPECT_EQ(c.cycle(), "bind new-0 n2");
}

TEST(StorageRoom, PodsWaitForTheCapacityOfTerminatingPods) {
  AccountedCluster c;
  c.terminating("old", {.node = "n3", .constraints = {.volume_claims = {"old"}}});
  c.claim({.meta = {.name = "old"},
           .storage_class = "wait",
           .bytes = 20 * kGb,
           .owner_pod_uids = {c.cluster().task(c.task_id("old-0")).uid}});
  c.claim("new", "wait").pod("new", {"new"});
  EXPECT_EQ(c.cycle(), "pipeline new-0 n2");
}

TEST(StorageRoom, AClaimWhoseOwnerIsGoneBlocksThePod) {
  AccountedCluster c;
  c.claim({.meta = {.name = "orphan"}, .storage_class = "wait", .owner_pod_uids = {"gone"}})
      .pod("a", {"orphan"});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"), "the pod that owns PersistentVolumeClaim \"orphan\" no longer exists");
}

TEST(StorageRoom, ANodeWithTwoCapacitiesOfAClassIsSkipped) {
  AccountedCluster c;
  c.capacity("k2", "b", 100);
  c.claim("a", "wait").pod("a", {"a"});
  EXPECT_EQ(c.cycle(), "");
}

}  // namespace
}  // namespace muster
