// What counts as agreement with another scheduler, and how differences are reported.
#include "serve/check/shadow_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cycle/run_cycle.hpp"
#include "tests/test_cluster.hpp"

namespace muster::serve {
namespace {

class Shadow : public testing::Test {
 protected:
  Shadow() {
    c.node("n1", {.gpus = 2}).queue("team", {.deserved = 2, .limit = 2});
    c.pending("fits", {.queue = "team", .gpus = 2});
    c.pending("late", {.queue = "team", .gpus = 2});
  }
  // Decides on a copy like serve, so that the cluster does not change.
  void decide() {
    Cluster copy = c.cluster();
    ledger.decided(c.cluster(), run_cycle(copy, c.policy(), c.now()), c.now());
  }
  void other_places(const std::string& pod, const std::string& node) {
    ledger.placed_by_other(c.cluster(), {"default", pod, c.cluster().task(c.task_id(pod)).uid, node},
                           c.now());
  }
  TestCluster c;
  ShadowLedger ledger;
};

TEST_F(Shadow, PlacingTheSamePodCountsAsAgreement) {
  decide();
  other_places("fits-0", "n1");
  EXPECT_EQ(ledger.counts().agreed, 1);
  EXPECT_EQ(ledger.counts().same_node, 1);
  EXPECT_EQ(ledger.counts().agreement_percent(), 100);
  EXPECT_TRUE(ledger.take_news().empty());
}

TEST_F(Shadow, PlacingAnotherPodCountsAsADifference) {
  decide();
  other_places("late-0", "n1");
  EXPECT_EQ(ledger.counts().differs, 1);
  EXPECT_EQ(ledger.counts().agreement_percent(), 0);
  const auto news = ledger.take_news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].job, "default/late");
  EXPECT_EQ(news[0].other, "placed it on n1");
  EXPECT_THAT(news[0].muster, testing::StartsWith("would leave it pending: "));
  EXPECT_THAT(news[0].muster, testing::HasSubstr("GPU"));
}

TEST_F(Shadow, APodThatTheOtherLeavesPendingIsReportedOnce) {
  decide();
  c.advance(9s);
  decide();
  EXPECT_EQ(ledger.counts().left_waiting, 0);
  c.advance(1s);
  decide();
  decide();
  EXPECT_EQ(ledger.counts().left_waiting, 1);
  const auto news = ledger.take_news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].other, "left it pending");
  EXPECT_EQ(news[0].muster, "would place it on n1");
  other_places("fits-0", "n1");
  EXPECT_EQ(ledger.counts().agreed, 0) << "too late to agree";
}

TEST_F(Shadow, PodsPlacedBeforeTheFirstCycleCountNeitherWay) {
  other_places("fits-0", "n1");
  EXPECT_EQ(ledger.counts().unseen, 1);
  EXPECT_EQ(ledger.counts().agreement_percent(), 100);
  const auto report = nlohmann::json::parse(ledger.text());
  EXPECT_EQ(report["pods"]["unseen"], 1);
  EXPECT_EQ(report["firstDifferences"].size(), 0U);
}

}  // namespace
}  // namespace muster::serve
