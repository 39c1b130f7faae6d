// Compares a pool that is updated while jobs change with a new one.
#include "engine/order/victim_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

std::vector<JobId> in_order(VictimPool& pool, QueueId leaf) {
  std::vector<JobId> jobs;
  for (const JobEntry& e : pool.of(leaf)) jobs.push_back(e.job);
  return jobs;
}

TEST(VictimPool, AnUpdatedPoolEqualsANewOne) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    TestCluster c;
    c.node("n", {.gpus = 128});
    for (int j = 0; j < 30; ++j)
      c.running("v" + std::to_string(j),
                {.tasks = 1 + below(3), .min = 1, .priority = 50 + 10 * below(3), .node = "n"});
    Session& s = c.open();
    const QueueId leaf = s.cluster.job(c.job_id("v0")).queue;
    VictimPool pool(s);
    ASSERT_EQ(in_order(pool, leaf).size(), 30U);
    for (int step = 0; step < 40; ++step) {
      std::vector<JobId> changed;
      for (int i = below(3); i >= 0; --i) {
        const JobId job = c.job_id("v" + std::to_string(below(step < 20 ? 30 : 8)));
        const auto& tasks = s.cluster.job(job).pod_sets[0].tasks;
        const TaskId task = tasks[random() % tasks.size()];
        Placement at = s.cluster.placement(task);
        at.status = at.status == TaskStatus::kRunning ? TaskStatus::kReleasing : TaskStatus::kRunning;
        s.cluster.move(task, at);
        if (std::ranges::find(changed, job) == changed.end()) changed.push_back(job);
      }
      pool.update(changed);
      VictimPool anew(s);
      ASSERT_EQ(in_order(pool, leaf), in_order(anew, leaf)) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace muster
