// Compares the sums kept over the nodes' GPUs with a full recount.
#include "engine/place/gpu_room.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/cycle/statement.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

std::int64_t most_whole(const Cluster& cluster) {
  std::int64_t most = 0;
  for (NodeId n : cluster.nodes_by_name()) most = std::max(most, cluster.free_or_releasing(kGpu, n));
  return most;
}

TEST(GpuRoom, KnowsTheMostWholeDevicesOfOneNode) {
  constexpr int kNodes = 6, kTasks = 12;
  TestCluster c;
  for (int n = 0; n < kNodes; ++n) c.node("n" + std::to_string(n), {.gpus = 1 + n % 4});
  c.pending("a", {.tasks = kTasks});
  Session& session = c.open();
  std::mt19937_64 dice(1);
  for (int round = 0; round < 200; ++round) {
    GpuRoom room(c.cluster());
    Statement st(session);
    for (int t = 0; t < kTasks; ++t) {
      const NodeId node = c.node_id("n" + std::to_string(dice() % kNodes));
      if (c.cluster().free_or_releasing(kGpu, node) >= kOneGpu)
        st.allocate(c.task_id("a-" + std::to_string(t)), node);
      room.update();
      ASSERT_EQ(room.most_whole(), most_whole(c.cluster())) << "round " << round << ", task " << t;
    }
    st.rollback(0);
    room.update();
    ASSERT_EQ(room.most_whole(), most_whole(c.cluster())) << "round " << round;
  }
}

}  // namespace
}  // namespace muster
