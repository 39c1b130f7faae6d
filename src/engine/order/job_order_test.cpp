// The order in which jobs are served: fairshare.md 7.
#include "engine/order/job_order.hpp"

#include <gtest/gtest.h>

#include "engine/cycle/statement.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

Config without(const std::string& plugin) {
  Config config;
  std::erase_if(config.plugins, [&](const PluginConfig& p) { return p.name == plugin; });
  return config;
}

// Pushes all jobs in this order and pops them without placing any.
std::string order(TestCluster& c, const std::vector<std::string>& jobs, std::optional<int> depth = {}) {
  Session& session = c.open();
  JobOrder waiting(session, depth);
  for (const std::string& job : jobs) waiting.push(c.job_id(job));
  std::string names;
  while (!waiting.empty()) names += (names.empty() ? "" : " ") + c.cluster().job(waiting.pop()).name;
  return names;
}

// The jobs whose tasks were bound, in that order.
std::string served(TestCluster& c) {
  c.cycle();
  std::string names;
  for (const BindDecision& b : c.decisions().binds)
    names += (names.empty() ? "" : " ") + c.cluster().task(b.task).name;
  return names;
}

TEST(JobOrder, QueueOrderOutranksJobPriority) {  // example 27
  TestCluster c(without("proportion"));
  c.queue("root", {.age = 1h}).queue("dept1", {.parent = "root", .age = 1h});
  c.queue("dept2", {.parent = "root", .age = 1h}).queue("team1", {.parent = "dept1", .age = 1h});
  c.queue("team2", {.parent = "dept1", .age = 1h}).queue("team3", {.parent = "dept2", .age = 1h});
  c.pending("j250", {.queue = "team1", .priority = 250}).pending("j100", {.queue = "team1", .priority = 100});
  c.pending("j200", {.queue = "team2", .priority = 200}).pending("j150", {.queue = "team3", .priority = 150});
  EXPECT_EQ(order(c, {"j100", "j150", "j200", "j250"}), "j250 j100 j200 j150");
}

TEST(JobOrder, HigherPriorityThenOlder) {
  TestCluster c;
  c.pending("a", {.priority = 50}).pending("b", {.priority = 60}).pending("d", {.priority = 50});
  EXPECT_EQ(order(c, {"d", "a", "b"}), "b a d");
}

TEST(JobOrder, JobsBelowTheirMinimumBeforeThoseAtItBeforeThoseAbove) {
  TestCluster c;
  c.node("n1");
  c.pending("above", {.min = 1}).task("above", "x-0", {}, "n1").task("above", "x-1", {}, "n1");
  c.pending("exact", {.min = 1}).task("exact", "y-0", {}, "n1");
  c.pending("below", {.min = 1});
  EXPECT_EQ(order(c, {"above", "exact", "below"}), "below exact above");
}

TEST(JobOrder, AJobThatLosesTasksWhileItWaitsIsReordered) {
  TestCluster c;
  c.node("n1");
  c.pending("first", {.priority = 90});
  c.pending("exact", {.min = 1}).task("exact", "x-0", {}, "n1");
  c.pending("other", {.min = 1}).task("other", "y-0", {}, "n1");
  Session& s = c.open();
  JobOrder waiting(s);
  for (const char* job : {"first", "exact", "other"}) waiting.push(c.job_id(job));
  Statement st(s);
  st.evict(c.task_id("y-0"));
  EXPECT_EQ(c.cluster().job(waiting.pop()).name, "first");
  EXPECT_EQ(c.cluster().job(waiting.pop()).name, "other");
}

TEST(JobOrder, EqualCreationTimesGoByUid) {
  TestCluster c;
  c.pending("b", {.age = 1h}).pending("a", {.age = 1h});
  EXPECT_EQ(order(c, {"b", "a"}), "a b");
}

TEST(JobOrder, DepthKeepsTheBestJobsOfEachQueue) {
  TestCluster c;
  c.queue("other");
  c.pending("a", {.priority = 1}).pending("b", {.priority = 3}).pending("d", {.priority = 2});
  c.pending("e", {.queue = "other", .priority = 1});
  EXPECT_EQ(order(c, {"a", "b", "d", "e"}, 2), "b d e");
}

TEST(JobOrder, JobsWithoutALeafQueueAreSkipped) {
  TestCluster c;
  c.queue("top").queue("leaf", {.parent = "top"}).queue("lost", {.parent = "nowhere"});
  c.pending("a", {.queue = "leaf"}).pending("b", {.queue = "top"}).pending("d", {.queue = "missing"});
  c.pending("e", {.queue = "lost"});
  EXPECT_EQ(order(c, {"a", "b", "d", "e"}), "a");
}

TEST(JobOrder, QueuesTakeTurnsAsTheyFill) {
  TestCluster c;
  c.only({"allocate"}).node("n1", {.gpus = 4}).queue("q1", {.deserved = 2}).queue("q2", {.deserved = 2});
  c.pending("a", {.queue = "q1"}).pending("b", {.queue = "q1"});
  c.pending("d", {.queue = "q2"}).pending("e", {.queue = "q2"});
  EXPECT_EQ(served(c), "a-0 d-0 b-0 e-0");
}

TEST(JobOrder, ADepartmentIsComparedByItsBestJobAndItsOwnUse) {
  TestCluster c;
  c.only({"allocate"}).node("n1", {.gpus = 4});
  c.queue("d1", {.deserved = 2}).queue("d2", {.deserved = 2});
  c.queue("t1", {.parent = "d1", .deserved = 1}).queue("t2", {.parent = "d1", .deserved = 1});
  c.queue("t3", {.parent = "d2", .deserved = 2});
  c.pending("a", {.queue = "t1"}).pending("b", {.queue = "t2"});
  c.pending("d", {.queue = "t3"}).pending("e", {.queue = "t3"});
  EXPECT_EQ(served(c), "a-0 d-0 b-0 e-0");
}

}  // namespace
}  // namespace muster
