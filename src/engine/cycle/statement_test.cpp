// The operations of a statement, their undo, and the decisions of a commit.
#include "engine/cycle/statement.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// Node n1 (three GPUs) with a running job "old" (two GPUs), an empty node n2, and a pending job "new".
class StatementTest : public testing::Test {
 protected:
  StatementTest() {
    c.node("n1", {.gpus = 3}).node("n2", {.gpus = 2});
    c.running("old", {.tasks = 2, .node = "n1"}).pending("new", {.tasks = 2});
    session = &c.open();
    before = c.cluster().fingerprint();
  }

  TaskId task(const char* name) const { return c.task_id(name); }
  NodeId node(const char* name) const { return c.node_id(name); }
  const Placement& at(const char* name) const { return c.cluster().placement(task(name)); }
  std::string gpus(const char* name) const {
    return "idle " + std::to_string(c.cluster().idle().at(kGpu, node(name)) / kOneGpu) + " releasing " +
           std::to_string(c.cluster().releasing().at(kGpu, node(name)) / kOneGpu);
  }
  double used() const { return c.cluster().use(c.queue_id("default")).allocated.share(Accounted::kGpus); }

  TestCluster c;
  Session* session = nullptr;
  std::string before;
};

TEST_F(StatementTest, AllocateTakesWhatIsIdle) {
  Statement st(*session);
  st.allocate(task("new-0"), node("n1"));
  EXPECT_EQ(gpus("n1"), "idle 0 releasing 0");
  EXPECT_EQ(at("new-0").status, TaskStatus::kAllocated);
  EXPECT_EQ(used(), 3);
}

TEST_F(StatementTest, PipelineReservesWithoutTakingIdle) {
  Statement st(*session);
  st.pipeline(task("new-0"), node("n1"));
  EXPECT_EQ(gpus("n1"), "idle 1 releasing -1");
  EXPECT_EQ(used(), 3);
}

TEST_F(StatementTest, EvictReleasesAndTakesFromTheQueueAtOnce) {
  Statement st(*session);
  st.evict(task("old-0"));
  EXPECT_EQ(gpus("n1"), "idle 1 releasing 1");
  EXPECT_TRUE(at("old-0").virtually_evicted);
  EXPECT_EQ(used(), 1);
}

TEST_F(StatementTest, UnevictPutsTheTaskBack) {
  Statement st(*session);
  st.evict(task("old-0"));
  st.take_back(task("old-0"));
  EXPECT_EQ(c.cluster().fingerprint(), before);
}

TEST_F(StatementTest, AMovedVictimOccupiesBothNodes) {
  Statement st(*session);
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n2"));
  EXPECT_EQ(gpus("n1"), "idle 1 releasing 1");
  EXPECT_EQ(gpus("n2"), "idle 2 releasing -1");
  EXPECT_EQ(at("old-0").status, TaskStatus::kPipelined);
  EXPECT_EQ(at("old-0").node, node("n2"));
  EXPECT_EQ(at("old-0").source, node("n1"));
}

// The first target counts as releasing until the end of the cycle.
TEST_F(StatementTest, AVictimMovedTwiceStillLeavesItsFirstNode) {
  c.node("n3", {.gpus = 1});
  session = &c.open();
  Statement st(*session);
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n2"));
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n3"));
  EXPECT_EQ(gpus("n1"), "idle 1 releasing 1");
  EXPECT_EQ(gpus("n2"), "idle 1 releasing 1");
  EXPECT_EQ(gpus("n3"), "idle 1 releasing -1");
  EXPECT_EQ(c.cluster().recount(), "");
  st.commit("consolidation", c.job_id("new"));
  EXPECT_EQ(text_of(c.cluster(), session->close()), "evict old-0; pipeline old-0 n3");
  EXPECT_EQ(gpus("n1"), "idle 1 releasing 1");
  EXPECT_EQ(gpus("n2"), "idle 2 releasing 0");
  EXPECT_EQ(gpus("n3"), "idle 1 releasing 0");
}

// n2 was promised to it before; another job may have that place now.
TEST_F(StatementTest, AVictimMovedTwiceGetsItsLastPlace) {
  Statement first(*session);
  first.evict(task("old-0"));
  first.pipeline(task("old-0"), node("n2"));
  first.commit("reclaim", c.job_id("new"));
  Statement st(*session);
  st.evict(task("old-0"));
  st.pipeline(task("new-0"), node("n2"));
  st.pipeline(task("new-1"), node("n2"));
  st.pipeline(task("old-0"), node("n1"));
  EXPECT_EQ(at("old-0").node, node("n1"));
  EXPECT_EQ(c.cluster().node_table().overdrawn(node("n2")), 0);
}

TEST_F(StatementTest, AVictimThatGetsItsPlaceBackIsNotEvicted) {
  Statement st(*session);
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n1"));
  EXPECT_EQ(at("old-0").status, TaskStatus::kRunning);
  EXPECT_EQ(c.cluster().fingerprint(), before);
}

TEST_F(StatementTest, ConvertPipelinesTheWholeAttempt) {
  Statement st(*session);
  st.allocate(task("new-0"), node("n1"));
  st.pipeline(task("new-1"), node("n2"));
  st.convert_to_pipelined(c.job_id("new"));
  EXPECT_EQ(at("new-0").status, TaskStatus::kPipelined);
  EXPECT_EQ(gpus("n1"), "idle 1 releasing -1");
}

TEST_F(StatementTest, RollbackStopsAtTheCheckpoint) {
  Statement st(*session);
  st.allocate(task("new-0"), node("n1"));
  const std::string then = c.cluster().fingerprint();
  const auto checkpoint = st.checkpoint();
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n2"));
  st.convert_to_pipelined(c.job_id("new"));
  st.rollback(checkpoint);
  EXPECT_EQ(c.cluster().fingerprint(), then);
  st.rollback(0);
  EXPECT_EQ(c.cluster().fingerprint(), before);
}

TEST_F(StatementTest, AnUncommittedStatementLeavesNoTrace) {
  {
    Statement st(*session);
    st.evict(task("old-0"));
    st.allocate(task("new-0"), node("n2"));
  }
  EXPECT_EQ(c.cluster().fingerprint(), before);
  EXPECT_EQ(text_of(c.cluster(), session->close()), "");
}

TEST_F(StatementTest, CommitBindsEvictsAndPipelines) {
  Statement st(*session);
  st.evict(task("old-1"));
  st.allocate(task("new-0"), node("n1"));
  st.pipeline(task("new-1"), node("n1"));
  st.commit("reclaim", c.job_id("new"));
  EXPECT_EQ(at("new-0").status, TaskStatus::kBinding);
  EXPECT_FALSE(at("old-1").virtually_evicted);
  EXPECT_EQ(c.cluster().job(c.job_id("old")).last_eviction, c.now());
  const Decisions d = session->close();
  EXPECT_EQ(text_of(c.cluster(), d), "evict old-1; bind new-0 n1; pipeline new-1 n1");
  EXPECT_EQ(d.evictions[0].action, "reclaim");
  EXPECT_EQ(d.evictions[0].preemptor, c.job_id("new"));
}

TEST_F(StatementTest, LosingANominationIsNoEviction) {
  Statement first(*session);
  first.pipeline(task("new-0"), node("n2"));
  first.commit("requeue", c.job_id("new"));
  Statement second(*session);
  second.evict(task("new-0"));
  second.commit("preempt", c.job_id("old"));
  EXPECT_EQ(c.cluster().job(c.job_id("new")).last_eviction, std::nullopt);
  const Decisions d = session->close();
  EXPECT_EQ(text_of(c.cluster(), d), "");
  EXPECT_TRUE(d.patches.empty());
}

TEST_F(StatementTest, LosingAPlaceOfThisCycleIsNoEviction) {
  Statement first(*session);
  first.allocate(task("new-0"), node("n2"));
  first.commit("allocate", c.job_id("new"));
  Statement second(*session);
  second.evict(task("new-0"));
  second.commit("preempt", c.job_id("old"));
  EXPECT_EQ(text_of(c.cluster(), session->close()), "");
  EXPECT_EQ(c.cluster().job(c.job_id("new")).last_eviction, std::nullopt);
}

TEST_F(StatementTest, CommitReportsOnlyTheNetEffect) {
  Statement st(*session);
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n2"));
  st.take_back(task("old-0"));
  st.commit("consolidation", c.job_id("new"));
  EXPECT_EQ(text_of(c.cluster(), session->close()), "");
  EXPECT_EQ(c.cluster().fingerprint(), before);
}

TEST_F(StatementTest, AMovedVictimIsEvictedAndWaitsOnItsOldNodeAfterTheCycle) {
  Statement st(*session);
  st.evict(task("old-0"));
  st.pipeline(task("old-0"), node("n2"));
  st.commit("consolidation", c.job_id("new"));
  EXPECT_EQ(text_of(c.cluster(), session->close()), "evict old-0; pipeline old-0 n2");
  EXPECT_EQ(at("old-0").status, TaskStatus::kReleasing);
  EXPECT_EQ(at("old-0").node, node("n1"));
  EXPECT_EQ(gpus("n2"), "idle 2 releasing 0");
  EXPECT_EQ(c.cluster().recount(), "");
}

TEST_F(StatementTest, AMovedVictimThatIsEvictedAgainIsEvictedOnce) {
  Statement moving(*session);
  moving.evict(task("old-0"));
  moving.pipeline(task("old-0"), node("n2"));
  moving.commit("consolidation", c.job_id("new"));
  Statement evicting(*session);
  evicting.evict(task("old-0"));
  evicting.commit("preempt", c.job_id("new"));
  EXPECT_EQ(text_of(c.cluster(), session->close()), "evict old-0");
  EXPECT_EQ(at("old-0").node, node("n1"));
  EXPECT_EQ(gpus("n1"), "idle 1 releasing 1");
  EXPECT_EQ(gpus("n2"), "idle 2 releasing 0");
}

TEST_F(StatementTest, PipelinedPlacesEndWithTheCycle) {
  Statement st(*session);
  st.pipeline(task("new-0"), node("n1"));
  st.commit("allocate", c.job_id("new"));
  EXPECT_EQ(text_of(c.cluster(), session->close()), "pipeline new-0 n1");
  EXPECT_EQ(c.cluster().fingerprint(), before);
}

}  // namespace
}  // namespace muster
