// How a task on a node changes the node's sums: actions.md 2.
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

struct Effect {
  TaskStatus status;
  int idle, releasing;  // GPUs, on a node with 4 and for a task that requests 3
};

class NodeAccounting : public testing::TestWithParam<Effect> {};

TEST_P(NodeAccounting, FollowsTheTable) {
  TestCluster c;
  c.node("n1", {.gpus = 4}).pending("a", {.gpus = 3});
  c.cluster().refresh(c.now());
  const std::string before = c.cluster().fingerprint();
  c.cluster().move(c.task_id("a-0"), {.status = GetParam().status, .node = c.node_id("n1")});
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), GetParam().idle * kOneGpu);
  EXPECT_EQ(c.cluster().releasing().at(kGpu, c.node_id("n1")), GetParam().releasing * kOneGpu);
  EXPECT_EQ(c.cluster().recount(), "");
  c.cluster().move(c.task_id("a-0"), {.status = TaskStatus::kPending});
  EXPECT_EQ(c.cluster().fingerprint(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Table, NodeAccounting,
    testing::Values(Effect{TaskStatus::kAllocated, 1, 0}, Effect{TaskStatus::kBinding, 1, 0},
                    Effect{TaskStatus::kBound, 1, 0}, Effect{TaskStatus::kRunning, 1, 0},
                    Effect{TaskStatus::kStuckInReleasing, 1, 0}, Effect{TaskStatus::kReleasing, 1, 3},
                    Effect{TaskStatus::kPipelined, 4, -3}, Effect{TaskStatus::kSucceeded, 4, 0},
                    Effect{TaskStatus::kFailed, 4, 0}, Effect{TaskStatus::kUnknown, 4, 0}),
    [](const auto& tested) { return std::string(name_of(tested.param.status)); });

TEST(NodeSums, PipelinedOnOneIdleGpuLeavesOneIdleAndOneOwed) {
  TestCluster c;
  c.node("n1", {.gpus = 1}).pending("a");
  c.cluster().refresh(c.now());
  c.cluster().move(c.task_id("a-0"), {.status = TaskStatus::kPipelined, .node = c.node_id("n1")});
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), kOneGpu);
  EXPECT_EQ(c.cluster().releasing().at(kGpu, c.node_id("n1")), -kOneGpu);
  EXPECT_EQ(c.cluster().free_or_releasing(kGpu, c.node_id("n1")), 0);
}

TEST(NodeSums, KindsTheNodeDoesNotHaveAreNotCounted) {
  TestCluster c;
  c.node("n1", {.gpus = 0}).running("a", {.gpus = 1, .cpu = 2, .node = "n1"});
  c.cluster().refresh(c.now());
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), 0);
  EXPECT_EQ(c.cluster().idle().at(kCpu, c.node_id("n1")), 62'000);
}

TEST(NodeSums, EveryTaskTakesAPodSlot) {
  TestCluster c;
  c.node("n1").running("a", {.tasks = 3, .node = "n1"});
  c.cluster().refresh(c.now());
  EXPECT_EQ(c.cluster().idle().at(kPods, c.node_id("n1")), 107);
}

TEST(NodeSums, AReservationPodHoldsNoGpu) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  PodObject pod{.meta = {.ns = "kai-resource-reservation", .name = "r", .uid = "r"},
                .phase = PodPhase::kRunning};
  pod.node = "n1";
  pod.app = "kai-resource-reservation";
  pod.requests = {{"nvidia.com/gpu", kOneGpu}, {"cpu", 1000}};
  c.cluster().apply(std::move(pod));
  c.cluster().refresh(c.now());
  EXPECT_EQ(c.cluster().idle().at(kGpu, c.node_id("n1")), 2 * kOneGpu);
  EXPECT_EQ(c.cluster().idle().at(kCpu, c.node_id("n1")), 63'000);
}

// ---------------------------------------------------------------- shared GPUs

class SharedGpus : public testing::Test {
 protected:
  SharedGpus() {
    c.node("n1", {.gpus = 2, .gpu_memory = 1000});
    for (const char* name : {"a", "b"}) c.pending(name, {.fraction = 0.5});
    c.cluster().refresh(c.now());
    g = c.cluster().intern_groups({c.cluster().intern_group("g")});
  }
  void put(const char* task, TaskStatus status) {
    c.cluster().move(c.task_id(task), {.status = status, .node = c.node_id("n1"), .holding = g});
    EXPECT_EQ(c.cluster().recount(), "");
  }
  std::string gpus() const {
    return std::to_string(c.cluster().idle().at(kGpu, c.node_id("n1")) / kOneGpu) + " " +
           std::to_string(c.cluster().releasing().at(kGpu, c.node_id("n1")) / kOneGpu);
  }
  TestCluster c;
  HoldingId g;
};

TEST_F(SharedGpus, TheFirstUserTakesADevice) {
  put("a-0", TaskStatus::kRunning);
  EXPECT_EQ(gpus(), "1 0");
  put("b-0", TaskStatus::kRunning);
  EXPECT_EQ(gpus(), "1 0");
  EXPECT_EQ(c.cluster().node(c.node_id("n1")).shared[0].allocated, 1000);
}

TEST_F(SharedGpus, ADeviceIsReleasedWhenAllItsUsersAre) {
  put("a-0", TaskStatus::kReleasing);
  EXPECT_EQ(gpus(), "1 1");
  put("b-0", TaskStatus::kRunning);
  EXPECT_EQ(gpus(), "1 0");
  put("b-0", TaskStatus::kReleasing);
  EXPECT_EQ(gpus(), "1 1");
}

TEST_F(SharedGpus, APipelinedUserTakesADeviceFromTheReleasingOnes) {
  put("a-0", TaskStatus::kReleasing);
  put("b-0", TaskStatus::kPipelined);
  EXPECT_EQ(gpus(), "1 0");
}

TEST_F(SharedGpus, TheLastUserGivesTheDeviceBack) {
  put("a-0", TaskStatus::kRunning);
  put("a-0", TaskStatus::kSucceeded);
  EXPECT_EQ(gpus(), "2 0");
  EXPECT_TRUE(c.cluster().node(c.node_id("n1")).shared.empty());
}

}  // namespace
}  // namespace muster
