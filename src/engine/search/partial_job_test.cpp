// The tasks that KAI's partial copy of a gang lets a probe place: actions.md 9.2.
#include "engine/search/partial_job.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// For the first `count` pending tasks of the chunk.
std::string probe(TestCluster& c, std::size_t count) {
  Session& s = c.open();
  const auto all = s.chunk(c.job_id("a")).tasks;
  std::vector<TaskId> tasks;
  tasks_of_partial_copy(s, c.job_id("a"), std::span<const TaskId>(all).first(count), tasks);
  std::string names;
  for (TaskId t : tasks) names += (names.empty() ? "" : " ") + c.cluster().task(t).name;
  return names;
}

TEST(PartialJob, AreTheFirstOnesIfNoMinSubGroupIsSet) {
  TestCluster c;
  c.node("n1").pending(
      "a", {.groups = {{.name = "x", .min = 1, .tasks = 1}, {.name = "y", .min = 2, .tasks = 2}}});
  EXPECT_EQ(probe(c, 1), "a-x-0");
  EXPECT_EQ(probe(c, 2), "a-x-0 a-y-0");
  EXPECT_EQ(probe(c, 3), "a-x-0 a-y-0 a-y-1");
}

TEST(PartialJob, AreNoneIfAnEmptyGroupSatisfiesTheLoweredSet) {
  TestCluster c;
  c.node("n1").pending("a", {.groups = {{.name = "left", .min_sub_group = 2},
                                        {.name = "l1", .parent = "left", .min = 1, .tasks = 1},
                                        {.name = "l2", .parent = "left", .min = 0},
                                        {.name = "right"},
                                        {.name = "r1", .parent = "right", .min = 1, .tasks = 1}}});
  EXPECT_EQ(probe(c, 1), "");
}

TEST(PartialJob, AreNoneIfAnEmptyGroupComesFirst) {
  TestCluster c;
  c.node("n1").pending("a", {.groups = {{.name = "left", .min_sub_group = 2},
                                        {.name = "l1", .parent = "left", .min = 1},
                                        {.name = "l2", .parent = "left", .min = 1, .tasks = 1},
                                        {.name = "right"},
                                        {.name = "r1", .parent = "right", .min = 1, .tasks = 1}}});
  EXPECT_EQ(probe(c, 1), "");
  EXPECT_EQ(probe(c, 2), "a-r1-0");
}

}  // namespace
}  // namespace muster
