// What happens to pods between two cycles of a simulation.
#include "sim/embedded_cluster.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// One running and one pending pod on a node of two GPUs, with given decisions.
class EmbeddedClusterTest : public testing::Test {
 protected:
  EmbeddedClusterTest() {
    c.node("n1", {.gpus = 2}).running("old", {.node = "n1"}).pending("new");
    c.cluster().refresh(c.now());
  }
  void carry_out(const Decisions& decisions) {
    embedded.carry_out(c.cluster(), decisions, c.now());
    embedded.update(c.cluster(), c.now());
  }
  TestCluster c;
  EmbeddedCluster embedded;
};

TEST_F(EmbeddedClusterTest, ABoundPodRuns) {
  carry_out({.binds = {{.task = c.task_id("new-0"), .node = c.node_id("n1")}}});
  EXPECT_EQ(c.status("new-0"), TaskStatus::kRunning);
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), 0);
}

TEST_F(EmbeddedClusterTest, AnEvictedPodIsRecreated) {
  carry_out({.evictions = {{.task = c.task_id("old-0"), .action = "reclaim"}}});
  EXPECT_EQ(c.status("old-0"), TaskStatus::kPending);
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), 2 * kOneGpu);
}

TEST_F(EmbeddedClusterTest, DecisionsAreCarriedOutOnce) {
  carry_out({.evictions = {{.task = c.task_id("old-0"), .action = "reclaim"}}});
  carry_out({});
  embedded.update(c.cluster(), c.now());
  EXPECT_EQ(c.status("old-0"), TaskStatus::kPending);
}

TEST_F(EmbeddedClusterTest, ATerminatingPodIsRecreatedUnlessItIsStuck) {
  c.terminating("going", {.node = "n1"}).terminating("stuck", {.node = "n1", .deleted = 10min});
  c.cluster().refresh(c.now());
  carry_out({});
  EXPECT_EQ(c.status("going-0"), TaskStatus::kPending);
  EXPECT_EQ(c.status("stuck-0"), TaskStatus::kStuckInReleasing);
}

TEST_F(EmbeddedClusterTest, ATerminatingPodWithoutAJobIsGone) {
  PodObject pod{.meta = {.ns = "default", .name = "lone", .uid = "lone"}, .phase = PodPhase::kRunning};
  pod.deletion = c.now();
  pod.node = "n1";
  c.cluster().apply(std::move(pod));
  carry_out({});
  EXPECT_FALSE(c.task_id("lone").valid());
}

TEST_F(EmbeddedClusterTest, AnEvictedPodThatStaysTerminatingKeepsItsPlace) {
  PodObject pod{.meta = {.ns = "default", .name = "old-0", .uid = "old-0"}, .phase = PodPhase::kRunning};
  pod.scheduler = "kai-scheduler";
  pod.pod_group = "old";
  pod.node = "n1";
  pod.requests = {{"nvidia.com/gpu", kOneGpu}};
  pod.stays_terminating = true;
  c.cluster().apply(std::move(pod));
  carry_out({.evictions = {{.task = c.task_id("old-0"), .action = "reclaim"}}});
  EXPECT_EQ(c.status("old-0"), TaskStatus::kReleasing);
  carry_out({});
  EXPECT_EQ(c.status("old-0"), TaskStatus::kReleasing);
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), kOneGpu);
}

}  // namespace
}  // namespace muster
