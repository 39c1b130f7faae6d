// Runs the scenarios of preemptibility.md.
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

Preemptibility resolved(const JobSpec& spec) {
  TestCluster c;
  c.pending("job", spec).open();
  return c.cluster().job(c.job_id("job")).preemptibility;
}

TEST(Preemptibility, AnUrgentPreemptibleJobGoesFirstBorrowsAndCanBeEvicted) {  // 1
  TestCluster c;
  c.queue("borrower", {.deserved = 0}).queue("owner", {.deserved = 1});
  c.node("n1", {.gpus = 1});
  c.pending("low", {.queue = "borrower", .priority = 50, .age = 2h});
  c.pending("urgent", {.queue = "borrower", .priority = 125, .preemptible = true, .age = 1h});
  EXPECT_EQ(c.cycle(), "bind urgent-0 n1") << "ahead of the older one, and beyond its quota";
  c.pending("owed", {.queue = "owner"});
  EXPECT_EQ(c.cycle(), "evict urgent-0; pipeline owed-0 n1");
}

TEST(Preemptibility, ANonPreemptibleJobIsNeverAVictimWhateverItsPriority) {  // 2
  TestCluster c;
  c.queue("ours", {.deserved = 1}).queue("owner", {.deserved = 2});
  c.node("n1", {.gpus = 2});
  c.running("fixed", {.queue = "ours", .priority = 50, .preemptible = false, .node = "n1"});
  c.running("loose", {.queue = "ours", .priority = 90, .node = "n1"});
  c.pending("above", {.queue = "ours", .priority = 99});
  c.pending("owed", {.queue = "owner", .tasks = 2, .min = 1});
  EXPECT_EQ(c.cycle(), "evict loose-0; pipeline owed-0 n1");
  for (int i = 0; i < 5; ++i) {
    c.cycle();
    EXPECT_EQ(c.status("fixed-0"), TaskStatus::kRunning);
  }
}

TEST(Preemptibility, ANonPreemptibleJobWaitsForQuotaThoughTheClusterHasRoom) {  // 2
  TestCluster c;
  c.queue("ours", {.deserved = 1});
  c.node("n1", {.gpus = 8});
  c.running("first", {.queue = "ours", .preemptible = false, .node = "n1"});
  c.pending("second", {.queue = "ours", .preemptible = false});
  EXPECT_EQ(c.cycle(), "");
  c.pending("third", {.queue = "ours", .preemptible = true});
  EXPECT_EQ(c.cycle(), "bind third-0 n1") << "one that may be evicted borrows";
}

TEST(Preemptibility, ALabelOnThePodsDecides) {  // 3, 5
  EXPECT_EQ(resolved({.priority = 50, .preemptibility_label = "non-preemptible"}),
            Preemptibility::kNonPreemptible);
  EXPECT_EQ(resolved({.priority = 125, .preemptibility_label = "Preemptible"}), Preemptibility::kPreemptible);
  EXPECT_EQ(resolved({.priority = 50, .preemptibility_label = "bogus"}), Preemptibility::kPreemptible);
  EXPECT_EQ(resolved({.priority = 125, .preemptibility_label = "bogus"}), Preemptibility::kNonPreemptible);
}

TEST(Preemptibility, PriorityDecidesByDefault) {  // 4
  EXPECT_EQ(resolved({.priority = 100}), Preemptibility::kNonPreemptible);
  EXPECT_EQ(resolved({.priority = 99}), Preemptibility::kPreemptible);
  EXPECT_EQ(resolved({.priority = 50}), Preemptibility::kPreemptible);
}

TEST(Preemptibility, TheSpecOutranksTheLabel) {  // 6
  EXPECT_EQ(
      resolved({.priority = 125, .preemptibility = "preemptible", .preemptibility_label = "non-preemptible"}),
      Preemptibility::kPreemptible);
}

TEST(Preemptibility, OfASemiPreemptibleJobOnlyTheSurplusIsTaken) {  // 7
  TestCluster c;
  c.queue("ours", {.deserved = 3}).queue("owner", {.deserved = 5});
  c.node("n1", {.gpus = 5});
  c.running("semi",
            {.queue = "ours", .tasks = 5, .min = 3, .node = "n1", .preemptibility = "semi-preemptible"});
  for (const char* job : {"owed-a", "owed-b", "owed-c", "owed-d"}) c.pending(job, {.queue = "owner"});
  for (int i = 0; i < 6; ++i) c.cycle();
  for (const char* core : {"semi-0", "semi-1", "semi-2"})
    EXPECT_EQ(c.status(core), TaskStatus::kRunning) << core;
  for (const char* surplus : {"semi-3", "semi-4"})
    EXPECT_EQ(c.status(surplus), TaskStatus::kPending) << surplus;
  EXPECT_EQ(c.status("owed-a-0"), TaskStatus::kRunning);
  EXPECT_EQ(c.status("owed-b-0"), TaskStatus::kRunning);
  EXPECT_EQ(c.status("owed-c-0"), TaskStatus::kPending);
}

TEST(Preemptibility, TheCoreCountsAgainstQuotaAndTheSurplusAgainstTheLimit) {  // 7
  const auto bound = [](double deserved, double limit) {
    TestCluster c;
    c.queue("ours", {.deserved = deserved, .limit = limit});
    c.node("n1", {.gpus = 8});
    c.pending("semi", {.queue = "ours", .tasks = 5, .min = 3, .preemptibility = "semi-preemptible"});
    c.cycle();
    return c.decisions().binds.size();
  };
  EXPECT_EQ(bound(3, -1), 5U);
  EXPECT_EQ(bound(3, 4), 4U);
  EXPECT_EQ(bound(2, -1), 0U) << "the core does not borrow";
}

}  // namespace
}  // namespace muster
