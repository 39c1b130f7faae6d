// What is shown, and when it is no longer shown.
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

TEST_F(MetricsTest, AQueueThatIsGoneIsNotShown) {
  c.node("node0", {.gpus = 2}).queue("stays").queue("goes");
  cycle();
  EXPECT_THAT(metrics.text(), HasSubstr("\"goes\""));
  c.cluster().remove("Queue", "", "goes");
  cycle();
  EXPECT_THAT(metrics.text(), Not(HasSubstr("\"goes\"")));
  EXPECT_THAT(metrics.text(), HasSubstr("\"stays\""));
}

TEST_F(MetricsTest, EvictionsOfAJobAreShownForAWhile) {
  c.node("node0", {.gpus = 1}).queue("queue0").running("job0", {.queue = "queue0", .node = "node0"});
  cycle();
  const EvictDecision eviction{.task = c.task_id("job0-0"), .action = "reclaim"};
  metrics.evicted(c.cluster(), eviction);
  const auto between = Metrics::Clock::now();
  EXPECT_THAT(metrics.text(), HasSubstr("job0"));
  metrics.evicted(c.cluster(), eviction);
  metrics.forget_evictions_before(between);
  EXPECT_THAT(metrics.text(), HasSubstr("job0"));
  metrics.forget_evictions_before(Metrics::Clock::now());
  EXPECT_THAT(metrics.text(), Not(HasSubstr("job0")));
}

}  // namespace
}  // namespace muster::serve
