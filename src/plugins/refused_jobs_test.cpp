// A job with a refused pod waits, longer each time, and reports why.
#include "plugins/refused_jobs.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster::plugins {
namespace {

using std::chrono::seconds;

class RefusedJobsTest : public testing::Test {
 protected:
  RefusedJobsTest() {
    c.node("n1", {.gpus = 4}).pending("gang", {.tasks = 2}).pending("other");
    c.policy().plugins.push_back(refused_jobs_plugin(jobs));
  }
  // Refuses a pod of the job now.
  void refuse(const std::string& pod = "gang-1") { jobs.add("default/gang", pod, "422 no", c.now()); }
  std::string cycle() {
    jobs.publish(c.now());
    return c.cycle();
  }
  TestCluster c;
  RefusedJobs jobs;
};

TEST_F(RefusedJobsTest, OtherJobsAreNotDelayed) {
  refuse();
  EXPECT_EQ(cycle(), "bind other-0 n1");
  EXPECT_EQ(c.why("gang"),
            "pod gang-1 could not be bound: 422 no; retried at " + format_time(c.now() + seconds(1)));
  c.advance(seconds(1));
  EXPECT_EQ(cycle(), "bind gang-0 n1; bind gang-1 n1");
}

TEST_F(RefusedJobsTest, EachAttemptDoublesTheWaitUpToFiveMinutes) {
  for (const int wait : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    refuse();
    refuse("gang-0");  // in the same attempt
    jobs.publish(c.now());
    EXPECT_EQ(jobs.published().at("default/gang").until, c.now() + seconds(wait));
    EXPECT_EQ(jobs.published().at("default/gang").pod, "gang-1");
    c.advance(seconds(wait));
  }
}

TEST_F(RefusedJobsTest, TheTimeOfACycleMayBeALittleEarlier) {
  jobs.add("default/gang", "gang-1", "422 no", c.now() + std::chrono::milliseconds(999));
  EXPECT_EQ(cycle(), "bind other-0 n1");
}

TEST_F(RefusedJobsTest, AClockThatIsSetBackDoesNotProlongTheWait) {
  refuse();
  c.advance(seconds(-300));
  EXPECT_EQ(cycle(), "bind gang-0 n1; bind gang-1 n1; bind other-0 n1");
  refuse();
  jobs.publish(c.now());
  EXPECT_EQ(jobs.published().at("default/gang").until, c.now() + seconds(2));
}

TEST_F(RefusedJobsTest, AForgottenJobStartsWithTheFirstWait) {
  refuse();
  c.advance(seconds(1));
  refuse();
  c.advance(seconds(2 + 600));
  jobs.publish(c.now());
  EXPECT_FALSE(jobs.contains("default/gang"));
  refuse();
  jobs.forget("default/gang");
  EXPECT_EQ(cycle(), "bind gang-0 n1; bind gang-1 n1; bind other-0 n1");
}

}  // namespace
}  // namespace muster::plugins
