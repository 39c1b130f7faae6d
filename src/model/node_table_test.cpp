// Ranks, the journal, sums and overdrawn nodes.
#include "model/node_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;

class NodeTableTest : public testing::Test {
 protected:
  NodeTable::Change add(const std::string& name, std::int64_t cpu, Labels labels = {}) {
    NodeObject object{.meta = {.name = name, .labels = std::move(labels)}, .allocatable = {{"cpu", cpu}}};
    return nodes_.apply(nodes_.mention(name), std::move(object), true, {kinds_, "mig"});
  }
  void refresh() {
    nodes_.size_for(kinds_.size());
    nodes_.rank_again();
    nodes_.restart_stale();
    nodes_.sum_up(kinds_, nullptr);
  }

  KindTable kinds_;
  NodeTable nodes_;
};

TEST_F(NodeTableTest, RanksPresentNodesByName) {
  add("b", 1);
  nodes_.mention("a");
  add("c", 1);
  refresh();
  EXPECT_THAT(nodes_.by_name(), ElementsAre(nodes_.find("b"), nodes_.find("c")));
  EXPECT_EQ(nodes_.rank(nodes_.find("c")), 1u);
  EXPECT_TRUE(nodes_.remove("b"));
  EXPECT_FALSE(nodes_.remove("a"));
  refresh();
  EXPECT_THAT(nodes_.by_name(), ElementsAre(nodes_.find("c")));
}

TEST_F(NodeTableTest, ReportsWhatAnObjectChanged) {
  EXPECT_TRUE(add("n", 1).presence);
  refresh();
  EXPECT_FALSE(add("n", 1).presence);
  EXPECT_FALSE(nodes_.some_stale());
  EXPECT_TRUE(add("n", 1, {{"zone", "a"}}).labels);
  EXPECT_FALSE(nodes_.some_stale());
  EXPECT_FALSE(add("n", 2, {{"zone", "a"}}).labels);
  EXPECT_TRUE(nodes_.is_stale(nodes_.find("n")));
  EXPECT_TRUE(add("n", 2, {{"nvidia.com/gpu.memory", "8000"}}).gpu_memory);
}

TEST_F(NodeTableTest, FindsOverdrawnNodes) {
  add("n", 1000);
  refresh();
  const NodeId n = nodes_.find("n");
  nodes_.add(n, kCpu, 800, TaskStatus::kReleasing);
  nodes_.add(n, kCpu, 700, TaskStatus::kRunning);
  EXPECT_EQ(nodes_.idle().at(kCpu, n), -500);
  EXPECT_EQ(nodes_.overdrawn_now(n), 1);
  EXPECT_EQ(nodes_.overdrawn(n), 0);
  nodes_.add(n, kCpu, 400, TaskStatus::kPipelined);
  EXPECT_EQ(nodes_.overdrawn(n), 1);
  nodes_.add(n, kCpu, -400, TaskStatus::kPipelined);
  nodes_.add(n, kCpu, -700, TaskStatus::kRunning);
  EXPECT_EQ(nodes_.overdrawn_now(n), 0);
  nodes_.add(n, kGpu, 1, TaskStatus::kRunning);  // a kind that the node does not offer
  EXPECT_EQ(nodes_.idle().at(kGpu, n), 0);
}

TEST_F(NodeTableTest, JournalsNodesWhoseSumsChanged) {
  add("n", 1000);
  refresh();
  const std::uint64_t read_to = nodes_.journal().end();
  nodes_.touch(nodes_.find("n"));
  ASSERT_EQ(nodes_.journal().end(), read_to + 1);
  EXPECT_EQ(nodes_.journal().at(read_to), nodes_.find("n"));
  add("m", 1000);
  refresh();
  EXPECT_GT(nodes_.journal().begin(), read_to) << "ranks changed: readers start over";
}

TEST_F(NodeTableTest, SumsUpWhatUsableNodesOffer) {
  add("n", 1000);
  add("m", 500);
  refresh();
  EXPECT_EQ(nodes_.total().units[0], 1500);
  EXPECT_TRUE(nodes_.are_totals_current());
  nodes_.add_foreign(nodes_.find("n"), {{300, 0, 0}}, +1);
  refresh();
  EXPECT_EQ(nodes_.total().units[0], 1200);
  nodes_.remove("m");
  refresh();
  EXPECT_EQ(nodes_.total().units[0], 700);
  nodes_.clear_foreign();
  refresh();
  EXPECT_EQ(nodes_.total().units[0], 1000);
  add("n", 2000);
  refresh();
  EXPECT_EQ(nodes_.total().units[0], 2000);
}

}  // namespace
}  // namespace muster
