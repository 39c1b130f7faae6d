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

TEST(Volumes, ObstaclesAreNamedAndEndTheSearch) {
  VolumeCluster c;
  c.pod("missing", {"nowhere"});
  c.claim("early", "now").pod("early", {"early"});
  c.claim({.meta = {.name = "classless"}}).pod("classless", {"classless"});
  c.claim("unknown", "unknown").pod("unknown", {"unknown"});
  c.claim({.meta = {.name = "lost"}, .volume = "gone", .bound = true}).pod("lost", {"lost"});
  EXPECT_EQ(c.cycle(), "");
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

TEST(Volumes, ExistingOnesAreMatchedBySizeModesAndLabels) {
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
      "no room for pod block-0: 3 nodes: volume claim block can not be served there (StorageClass/local)");
  EXPECT_EQ(
      c.why("many"),
      "no room for pod many-0: 3 nodes: volume claim many can not be served there (StorageClass/local)");
}

TEST(Volumes, OneVolumeServesOneClaimOfAPod) {
  VolumeCluster c;
  c.volume("only", 10, "a");
  c.claim("x", "local").claim("y", "local").pod("a", {"x", "y"});
  EXPECT_EQ(c.cycle(), "");
  c.volume("second", 20, "a");
  EXPECT_EQ(c.cycle(), "bind a-0 n1");
}

TEST(Volumes, AVolumeSetAsideForAClaimIsForNoOther) {
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

TEST(Volumes, NewOnesAreMadeWhereTheClassAllows) {
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
            "no room for pod large-0: 3 nodes: storage class wait has 15 GB there, 20 GB wanted");
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
  EXPECT_EQ(c.why("c"), "no room for pod c-0: 3 nodes: storage class wait has 5 GB there, 10 GB wanted");
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

TEST(StorageRoom, WhatTerminatingPodsLeaveIsWaitedFor) {
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
  EXPECT_EQ(c.why("a"), "the pod that owns PersistentVolumeClaim \"orphan\" is gone");
}

TEST(StorageRoom, ANodeThatSeesTwoCapacitiesOfAClassIsLeftOut) {
  AccountedCluster c;
  c.capacity("k2", "b", 100);
  c.claim("a", "wait").pod("a", {"a"});
  EXPECT_EQ(c.cycle(), "");
}

}  // namespace
}  // namespace muster
