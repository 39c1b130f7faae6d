// Interned names are dropped once nothing uses them, so names that come and go leave nothing behind.
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// All its names contain its number.
PodObject pod_number(int i, const char* node) {
  const std::string number = std::to_string(i);
  PodObject pod{.meta = {.ns = "ns", .name = "pod-" + number, .uid = "uid-" + number}};
  pod.meta.labels = {{"run", number}};
  pod.phase = PodPhase::kRunning;
  pod.scheduler = "kai-scheduler";
  pod.node = node;
  pod.nominated_node = "nominated-" + number;
  pod.pod_group = "group-" + number;
  pod.owner = {.kind = "Job", .name = "job-" + number, .uid = "uid-of-job-" + number};
  pod.requests = {{"example.com/kind-" + number, 1}, {"nvidia.com/gpu", kOneGpu}};
  pod.gpu_groups = {"gpu-" + number};
  pod.constraints.node_selector = {{"only", number}};
  return pod;
}

class Sweep : public testing::Test {
 protected:
  Sweep() {
    c.apply(NodeObject{.meta = {.name = "n"},
                       .allocatable = {{"cpu", 64'000}, {"nvidia.com/gpu", 8 * kOneGpu}, {"pods", 110}}});
    refresh();
  }
  void refresh() { c.refresh(*parse_time("2025-06-01T12:00:00Z")); }
  Cluster c;
};

TEST_F(Sweep, AMillionNamesLeaveNothingBehind) {
  constexpr int kPods = 100'000, kThings = 10;  // names per pod
  std::size_t most = 0;
  for (int i = 0; i < kPods; ++i) {
    c.apply(pod_number(i, i % 2 == 0 ? "n" : ("gone-" + std::to_string(i)).c_str()));
    if (i >= 50) c.remove("Pod", "ns", "pod-" + std::to_string(i - 50));
    if (i % 100 != 99) continue;
    refresh();
    most = std::max(most, c.interned());
  }
  EXPECT_LT(most, 8192U) << "of " << kPods * kThings;
  EXPECT_LT(c.jobs().size(), 200U);
  EXPECT_LT(c.tasks().size(), 200U);
  EXPECT_LT(c.nodes().size(), 4096U);
  EXPECT_EQ(c.recount(), "");
}

TEST_F(Sweep, WhatIsInUseStays) {
  for (int i = 0; i < 3; ++i) c.apply(pod_number(i, "n"));
  refresh();
  const std::uint64_t sweeps = c.sweeps();
  for (int i = 10; c.sweeps() == sweeps; ++i) {
    c.apply(pod_number(i, "n"));
    c.remove("Pod", "ns", "pod-" + std::to_string(i));
    refresh();
  }
  for (int i = 0; i < 3; ++i) {
    const TaskId t = c.find_task("ns", "pod-" + std::to_string(i));
    EXPECT_EQ(*find_label(c.labels_of(t), "run"), std::to_string(i));
    EXPECT_EQ(c.shape_of(t).constraints.node_selector.front().second, std::to_string(i));
    EXPECT_EQ(c.group_name(c.groups(c.task(t).observed.holding).front()), "gpu-" + std::to_string(i));
    EXPECT_EQ(c.node(c.task(t).nominated).name, "nominated-" + std::to_string(i));
  }
  EXPECT_EQ(c.recount(), "");
}

// The name of a shared GPU is never reused, even after it was dropped.
TEST_F(Sweep, NamesOfSharedGpusAreNotReused) {
  PodObject shares{.meta = {.ns = "ns", .name = "shares", .uid = "shares"}};
  shares.phase = PodPhase::kRunning;
  shares.scheduler = "kai-scheduler";
  shares.node = "n";
  shares.gpu = {.type = GpuRequestType::kFraction, .devices = 1, .portion = .5};
  const NodeId n = c.find_node("n");
  shares.gpu_groups = {c.group_name(c.fresh_group(n, {}))};
  c.apply(shares);
  c.remove("Pod", "ns", "shares");
  for (int i = 10; c.sweeps() == 0; ++i) {
    c.apply(pod_number(i, "n"));
    c.remove("Pod", "ns", "pod-" + std::to_string(i));
    refresh();
  }
  EXPECT_EQ(c.group_name(c.fresh_group(n, {})), "n-shared-1");
}

}  // namespace
}  // namespace muster
