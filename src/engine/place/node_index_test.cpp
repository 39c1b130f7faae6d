// The node tournament by itself. tests/properties_test.cpp compares it with scoring all nodes.
#include "engine/place/node_index.hpp"

#include <gtest/gtest.h>

#include "engine/cycle/statement.hpp"
#include "model/reason_text.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// Three nodes with 1, 2 and 4 free GPUs, a cordoned node, and an index for pod "a-0" with one GPU.
class NodeIndexTest : public testing::Test {
 protected:
  NodeIndexTest() {
    c.node("n1", {.gpus = 1})
        .node("n2", {.gpus = 2})
        .node("n4", {.gpus = 4})
        .node("off", {.gpus = 1, .cordoned = true});
    c.pending("a", {.tasks = 8});
    session = &c.open();
    index = std::make_unique<NodeIndex>(*session, c.cluster().task(c.task_id("a-0")).shape);
    index->update();
  }
  std::string best() const { return name_of(index->best()); }
  std::string name_of(NodeId n) const { return n.valid() ? c.cluster().node(n).name : "none"; }
  std::string refusals() const {
    std::string text;
    for (const RefusalCount& r : index->refusals(c.task_id("a-0"), nullptr))
      text += std::to_string(r.nodes) + " " + muster::text_of(c.cluster(), r.refusal) + "; ";
    return text;
  }

  TestCluster c;
  Session* session = nullptr;
  std::unique_ptr<NodeIndex> index;
};

TEST_F(NodeIndexTest, GivesTheBestNodeThatFits) {
  EXPECT_TRUE(index->is_exact());
  EXPECT_EQ(best(), "n1");
  EXPECT_EQ(refusals(), "1 cordoned; ");
}

TEST_F(NodeIndexTest, FollowsWhatIsPlacedAndTakenBack) {
  Statement st(*session);
  st.allocate(c.task_id("a-0"), c.node_id("n1"));
  index->update();
  EXPECT_EQ(best(), "n2");
  EXPECT_EQ(refusals(), "1 not enough GPUs (1 requested, none free); 1 cordoned; ");
  st.rollback(0);
  index->update();
  EXPECT_EQ(best(), "n1");
  EXPECT_EQ(refusals(), "1 cordoned; ");
}

TEST_F(NodeIndexTest, PassesOverMaskedNodesUntilTheyAreRestored) {
  index->mask(c.node_id("n1"));
  index->mask(c.node_id("n2"));
  EXPECT_EQ(best(), "n4");
  index->mask(c.node_id("n4"));
  EXPECT_EQ(best(), "none");
  index->restore();
  EXPECT_EQ(best(), "n1");
}

TEST_F(NodeIndexTest, FindsTheBestOfASet) {
  Bitmap some(c.cluster().nodes_by_name().size());
  some.set(c.cluster().rank(c.node_id("n2")));
  some.set(c.cluster().rank(c.node_id("n4")));
  some.set(c.cluster().rank(c.node_id("off")));
  EXPECT_EQ(name_of(index->best_of(&some, nullptr)), "n2");
  const Bitmap none(some.size());
  EXPECT_EQ(name_of(index->best_of(&none, nullptr)), "none");
}

TEST_F(NodeIndexTest, EqualNodesGoByName) {
  c.node("n0", {.gpus = 1});
  index = std::make_unique<NodeIndex>(c.open(), c.cluster().task(c.task_id("a-0")).shape);
  index->update();
  EXPECT_EQ(best(), "n0");
}

}  // namespace
}  // namespace muster
