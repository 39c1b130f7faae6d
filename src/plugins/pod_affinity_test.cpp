// How preferred terms count, both of the new pod and of the pods already placed.
#include "plugins/pod_affinity.hpp"

#include <gtest/gtest.h>

#include "plugins/small_cluster_for_test.hpp"

namespace muster::plugins {
namespace {

const Labels kWeb{{"app", "web"}}, kDb{{"app", "db"}};

class PodAffinityTest : public testing::Test {
 protected:
  PodAffinityTest() : c_({"podaffinity", make_pod_affinity}) {
    node1_ = c_.add(node_object("node1", {{"zone", "a"}}));
    node2_ = c_.add(node_object("node2", {{"zone", "a"}}));
    node3_ = c_.add(node_object("node3", {{"zone", "b"}}));
    node4_ = c_.add(node_object("node4"));
  }

  std::vector<double> scores(TaskId task) {
    const std::vector<NodeId> nodes{node1_, node2_, node3_, node4_};
    std::vector<double> sums(nodes.size(), 0);
    c_.session().hooks.node_score.score(task, c_.cluster().task(task).shape, nodes, sums);
    return sums;
  }
  bool applies(TaskId task) { return c_.session().hooks.node_score.depends_on_task(task); }

  SmallCluster c_;
  NodeId node1_, node2_, node3_, node4_;
};

using Scores = std::vector<double>;

TEST_F(PodAffinityTest, BothSidesCountOnEveryNodeOfTheDomain) {
  c_.add(
      running(pod_object("standing", kWeb, {.preferred_affinity = {near_app("web", "zone", 10)}}), "node1"));
  const TaskId newcomer =
      c_.add(pod_object("newcomer", kWeb, {.preferred_affinity = {near_app("web", "zone", 10)}}));
  c_.open();
  EXPECT_TRUE(applies(newcomer));
  EXPECT_EQ(scores(newcomer), (Scores{20e6, 20e6, 0, 0}));
}

TEST_F(PodAffinityTest, AntiAffinityIsNegative) {
  c_.add(running(pod_object("standing", kWeb, {.preferred_anti_affinity = {near_app("web", "zone", 10)}}),
                 "node3"));
  const TaskId newcomer =
      c_.add(pod_object("newcomer", kWeb, {.preferred_anti_affinity = {near_app("web", "zone", 10)}}));
  c_.open();
  EXPECT_EQ(scores(newcomer), (Scores{0, 0, -20e6, 0}));
}

TEST_F(PodAffinityTest, EveryMatchingPodCounts) {
  for (const char* name : {"db-1", "db-2"}) c_.add(running(pod_object(name, kDb), "node1"));
  c_.add(running(pod_object("db-3", kDb), "node3"));
  const TaskId newcomer =
      c_.add(pod_object("newcomer", kWeb, {.preferred_affinity = {near_app("db", "zone", 3)}}));
  c_.open();
  EXPECT_EQ(scores(newcomer), (Scores{6e6, 6e6, 3e6, 0}));
}

TEST_F(PodAffinityTest, RequiredTermsOfOthersWeighNothing) {
  c_.add(running(pod_object("standing", kDb, {.pod_affinity = {near_app("web", "zone")}}), "node1"));
  const TaskId newcomer = c_.add(pod_object("newcomer", kWeb));
  c_.open();
  EXPECT_FALSE(applies(newcomer));
  EXPECT_EQ(scores(newcomer), (Scores{0, 0, 0, 0}));
}

TEST_F(PodAffinityTest, OtherNamespacesCountOnlyIfNamed) {
  PodObject elsewhere = running(pod_object("elsewhere", kDb), "node1");
  elsewhere.meta.ns = "other";
  c_.add(std::move(elsewhere));
  PodAffinityTerm named = near_app("db", "zone", 5), every = near_app("db", "zone", 7);
  named.namespaces = {"other"};
  every.namespace_selector.present = true;
  const TaskId own = c_.add(pod_object("own", kWeb, {.preferred_affinity = {near_app("db", "zone", 1)}}));
  const TaskId listed = c_.add(pod_object("listed", kWeb, {.preferred_affinity = {named}}));
  const TaskId all = c_.add(pod_object("all", kWeb, {.preferred_affinity = {every}}));
  c_.open();
  EXPECT_FALSE(applies(own));
  EXPECT_EQ(scores(listed), (Scores{5e6, 5e6, 0, 0}));
  EXPECT_EQ(scores(all), (Scores{7e6, 7e6, 0, 0}));
}

TEST_F(PodAffinityTest, TasksWithoutTermsStayOnTheFastPath) {
  c_.add(running(pod_object("standing", kDb, {.preferred_affinity = {near_app("db", "zone", 10)}}), "node1"));
  const TaskId unrelated = c_.add(pod_object("unrelated", kWeb));
  const TaskId wanted = c_.add(pod_object("wanted", kDb));
  c_.open();
  EXPECT_FALSE(applies(unrelated));
  EXPECT_TRUE(applies(wanted));
}

TEST_F(PodAffinityTest, APlacementCountsAtOnceUntilItIsUndone) {
  const TaskId first = c_.add(pod_object("first", kDb));
  const TaskId second =
      c_.add(pod_object("second", kWeb, {.preferred_affinity = {near_app("db", "zone", 1)}}));
  Statement statement(c_.open());
  EXPECT_FALSE(applies(second));
  statement.pipeline(first, node3_);
  EXPECT_EQ(c_.place(statement, second), "node3");
  statement.rollback(0);
  EXPECT_FALSE(applies(second));
}

}  // namespace
}  // namespace muster::plugins
