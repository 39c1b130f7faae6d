// The lists that jobs are on, and the reuse of ids.
#include "model/job_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class JobTableTest : public testing::Test {
 protected:
  JobId add(const std::string& name) {
    const JobId id = jobs_.mention_job("ns", name);
    jobs_.job(id).present = true;
    jobs_.sort_in(id);
    return id;
  }
  TaskId add_to(JobId job, const std::string& name, const std::string& sub_group = "") {
    const TaskId id = jobs_.mention_task("ns", name);
    jobs_.task(id).ns = "ns";
    jobs_.task(id).name = name;
    jobs_.task(id).sub_group = sub_group;
    jobs_.join(id, job);
    return id;
  }

  JobTable jobs_;
};

TEST_F(JobTableTest, TasksOfNoPodSetAreOutsiders) {
  const JobId job = add("a");
  const TaskId member = add_to(job, "a-0"), outsider = add_to(job, "a-1", "nowhere");
  EXPECT_TRUE(jobs_.task(member).in_job());
  EXPECT_FALSE(jobs_.task(outsider).in_job());
  EXPECT_THAT(jobs_.job(job).outsiders, ElementsAre(outsider));
  EXPECT_THAT(jobs_.members(job), ElementsAre(outsider, member));
  EXPECT_EQ(jobs_.leave(outsider), job);
  EXPECT_EQ(jobs_.leave(member), job);
  EXPECT_THAT(jobs_.members(job), IsEmpty());
  EXPECT_FALSE(jobs_.task(member).job.valid());
}

TEST_F(JobTableTest, ListsJobsByTheStateOfTheirTasks) {
  const JobId job = add("a");
  jobs_.job(job).pod_sets[0].minimum = 2;
  const Task& task = jobs_.task(add_to(job, "a-0"));
  jobs_.count(task, TaskStatus::kPending, +1);
  EXPECT_THAT(jobs_.pending(), ElementsAre(job));
  EXPECT_THAT(jobs_.broken_gangs(), IsEmpty());
  jobs_.count(task, TaskStatus::kPending, -1);
  jobs_.count(task, TaskStatus::kRunning, +1);
  EXPECT_THAT(jobs_.pending(), IsEmpty());
  EXPECT_THAT(jobs_.broken_gangs(), ElementsAre(job));
  jobs_.mark_stale(job, TimePoint());
  EXPECT_THAT(jobs_.stale(), ElementsAre(job));
  jobs_.mark_stale(job, std::nullopt);
  EXPECT_THAT(jobs_.stale(), IsEmpty());
}

TEST_F(JobTableTest, IdsAreReused) {
  const JobId job = add("a");
  const TaskId task = add_to(job, "a-0");
  jobs_.job(job).present = false;
  jobs_.free_if_unused(job);
  EXPECT_EQ(jobs_.find_job("ns", "a"), job) << "it has a task";
  jobs_.leave(task);
  jobs_.free(task);
  jobs_.free_if_unused(job);
  EXPECT_FALSE(jobs_.find_job("ns", "a").valid());
  EXPECT_FALSE(jobs_.find_task("ns", "a-0").valid());
  EXPECT_FALSE(jobs_.task(task).alive);
  EXPECT_EQ(jobs_.mention_job("ns", "b"), job);
  EXPECT_EQ(jobs_.mention_task("ns", "b-0"), task);
  EXPECT_TRUE(jobs_.task(task).alive);
  EXPECT_EQ(jobs_.placement(task).status, TaskStatus::kGone);
}

}  // namespace
}  // namespace muster
