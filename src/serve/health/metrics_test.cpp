// Which metrics are shown, and when they are removed.
#include "serve/health/metrics.hpp"

#include <gmock/gmock.h>

#include "tests/test_cluster.hpp"

namespace muster::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

class MetricsTest : public testing::Test {
 protected:
  void cycle() {
    c.cycle();
    metrics.cycle(c.cluster(), c.decisions(), std::chrono::milliseconds(1));
  }

  TestCluster c;
  Metrics metrics{"", "pool"};
};

TEST_F(MetricsTest, ADeletedQueueIsNotShown) {
  c.node("node0", {.gpus = 2}).queue("stays").queue("goes");
  cycle();
  EXPECT_THAT(metrics.text(), HasSubstr("\"goes\""));
  c.cluster().remove("Queue", "", "goes");
  cycle();
  EXPECT_THAT(metrics.text(), Not(HasSubstr("\"goes\"")));
  EXPECT_THAT(metrics.text(), HasSubstr("\"stays\""));
}

TEST_F(MetricsTest, UseAndCapacityHaveTheUnitsOfKai) {
  c.node("node0", {.gpus = 4}).queue("top").queue("q", {.parent = "top"});
  c.running("job0", {.queue = "q", .gpus = 3, .node = "node0"});
  cycle();
  const std::string labels = "{queue_display_name=\"\",queue_metadata_name=\"q\",queue_name=\"q\"} ";
  EXPECT_THAT(metrics.text(), HasSubstr("_queue_allocated_gpus" + labels + "3\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("_queue_allocated_cpu_cores" + labels));
  EXPECT_THAT(metrics.text(), HasSubstr("_queue_allocated_memory_bytes" + labels));
  EXPECT_THAT(metrics.text(), HasSubstr("_muster_capacity_gpus{nodepool=\"pool\"} 4\n"));
  EXPECT_THAT(metrics.text(), Not(HasSubstr("gpu_usage"))) << "there is no past use";
}

// A quarter of a device is free, and none of the existing pods would fit there.
TEST_F(MetricsTest, FragmentedGpusAreShown) {
  c.node("n", {.gpus = 2}).running("y", {.node = "n"});
  c.running("x", {.fraction = 0.75, .node = "n", .shares = {"g"}});
  cycle();
  EXPECT_THAT(metrics.text(), HasSubstr("_muster_free_gpus 0.25\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("_muster_fragmented_gpus 0.25\n"));
}

TEST_F(MetricsTest, PastUseIsShownForEveryQueue) {
  c.node("node0", {.gpus = 4}).queue("used").queue("new").cycle();
  const QueueUsage used = {{"used", {0, 0, 0.25}}};
  metrics.cycle(c.cluster(), c.decisions(), std::chrono::milliseconds(1), &used);
  EXPECT_THAT(metrics.text(), HasSubstr("queue_name=\"used\"} 0.25\n"));
  EXPECT_THAT(metrics.text(), testing::ContainsRegex("gpu_usage.*queue_name=\"new\"} 0\n"));
}

TEST_F(MetricsTest, ADryRunOfRequeueCountsNoCommit) {
  Config config;
  config.action_arguments["requeue"] = {.name = "requeue", .arguments = {{"dryRun", "true"}}};
  TestCluster dry(config);
  dry.only({"allocate", "requeue"}).node("node0", {.gpus = 1});
  dry.running("train", {.node = "node0", .age = 4h, .expected_runtime = "1h"})
      .pending("urgent", {.priority = 75});
  dry.cycle();
  metrics.cycle(dry.cluster(), dry.decisions(), std::chrono::milliseconds(1));
  const std::string one = "_total{nominated_by=\"expectedruntime\"} 1";
  EXPECT_THAT(metrics.text(), HasSubstr("requeue_would_commit" + one));
  EXPECT_THAT(metrics.text(), Not(HasSubstr("requeue_commits" + one)));
  EXPECT_THAT(metrics.text(), Not(HasSubstr("requeue_rollbacks" + one)));
}

TEST_F(MetricsTest, CountersStartAtZero) {
  const std::string text = metrics.text();
  for (const char* series :
       {"_muster_failed_writes_total{write=\"bind\"} 0\n", "_muster_failed_writes_total{write=\"evict\"} 0\n",
        "_podgroups_scheduled_by_action{action=\"allocate\"} 0\n",
        "_podgroups_acted_on_by_action{action=\"reclaim\"} 0\n",
        "_muster_evicted_pods_total{action=\"preempt\"} 0\n", "_muster_drift_objects_total 0\n",
        "_muster_usage_errors_total 0\n", "_muster_cycles_total 0\n",
        "_scheduler_requeue_commits_total{nominated_by=\"expectedruntime\"} 0\n"})
    EXPECT_THAT(text, HasSubstr(series));
}

TEST_F(MetricsTest, EvictionsAreCountedByAction) {
  c.node("node0", {.gpus = 1}).queue("queue0").running("job0", {.queue = "queue0", .node = "node0"});
  cycle();
  metrics.evicted({.name = "job0"}, "reclaim");
  metrics.forget_evictions_before(Metrics::Clock::now());
  EXPECT_THAT(metrics.text(), HasSubstr("_muster_evicted_pods_total{action=\"reclaim\"} 1\n"));
}

TEST_F(MetricsTest, EvictionsOfAJobAreShownForAWhile) {
  c.node("node0", {.gpus = 1}).queue("queue0").running("job0", {.queue = "queue0", .node = "node0"});
  cycle();
  metrics.evicted({.name = "job0"}, "reclaim");
  const auto between = Metrics::Clock::now();
  EXPECT_THAT(metrics.text(), HasSubstr("job0"));
  metrics.evicted({.name = "job0"}, "reclaim");
  metrics.forget_evictions_before(between);
  EXPECT_THAT(metrics.text(), HasSubstr("job0"));
  metrics.forget_evictions_before(Metrics::Clock::now());
  EXPECT_THAT(metrics.text(), Not(HasSubstr("job0")));
}

}  // namespace
}  // namespace muster::serve
