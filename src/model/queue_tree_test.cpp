// The order of queues, ignored queues, and sums up to the top.
#include "model/queue_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class QueueTreeTest : public testing::Test {
 protected:
  // Queues added later are younger.
  void add(const std::string& name, const std::string& parent = "") {
    QueueObject object{.meta = {.name = name, .created = TimePoint() + std::chrono::seconds(++added_)}};
    object.parent_name = parent;
    tree_.apply(std::move(object), true);
  }
  // The names in depth-first order, and the warnings.
  std::vector<std::string> built(bool is_flat = false) {
    std::vector<ObjectWarning> warnings;
    tree_.build(is_flat, warnings);
    std::vector<std::string> lines;
    for (QueueId q : tree_.depth_first())
      lines.push_back(std::string(static_cast<std::size_t>(tree_[q].depth), ' ') + tree_[q].name);
    for (const ObjectWarning& w : warnings) lines.push_back(w.object + ": " + w.message);
    return lines;
  }

  QueueTree tree_;
  int added_ = 0;
};

TEST_F(QueueTreeTest, ListsEachQueueRightBeforeThoseBelowIt) {
  add("a2", "a");
  add("b");
  add("a");
  add("a1", "a");
  add("a2x", "a2");
  EXPECT_THAT(built(), ElementsAre("b", "a", " a2", "  a2x", " a1"));
  EXPECT_THAT(tree_.top(), ElementsAre(tree_.find("b"), tree_.find("a")));
}

TEST_F(QueueTreeTest, IgnoresOrphansAndCycles) {
  add("fine");
  add("lost", "nowhere");
  add("below", "lost");
  add("one", "two");
  add("two", "one");
  EXPECT_THAT(
      built(),
      ElementsAre(
          "fine",
          "Queue lost: parent queue \"nowhere\" does not exist; this queue and all below it are ignored",
          "Queue one: the queue is its own ancestor; it and all below it are ignored",
          "Queue two: the queue is its own ancestor; it and all below it are ignored"));
}

TEST_F(QueueTreeTest, EveryPathUpwardsEnds) {
  add("one", "three");
  add("two", "one");
  add("three", "two");
  add("below", "two");
  add("own", "own");
  add("lost", "nowhere");
  add("below lost", "lost");
  built();
  for (QueueId start : ids(tree_.all())) {
    std::size_t steps = 0;
    for (QueueId q = start; q.valid(); q = tree_[q].parent)
      ASSERT_LE(++steps, tree_.all().size()) << tree_[start].name;
  }
  EXPECT_EQ(tree_[tree_.find("below lost")].parent, tree_.find("lost"));
}

TEST_F(QueueTreeTest, FlatPutsEveryLeafBelowTheDefault) {
  add("top");
  add("leaf", "top");
  EXPECT_THAT(built(true), ElementsAre("default", " leaf"));
  EXPECT_EQ(tree_[tree_.find("default")].gpu.quota, -1);
}

TEST_F(QueueTreeTest, IsStaleUntilItIsBuiltAgain) {
  add("a");
  built();
  EXPECT_TRUE(tree_.counts(tree_.find("a")));
  tree_.remove("nobody");
  EXPECT_FALSE(tree_.is_stale());
  tree_.remove("a");
  EXPECT_TRUE(tree_.is_stale());
  EXPECT_THAT(built(), IsEmpty());
  EXPECT_FALSE(tree_.counts(tree_.find("a")));
}

TEST_F(QueueTreeTest, CountsUseUpToTheTop) {
  add("top");
  add("mid", "top");
  add("leaf", "mid");
  add("other", "top");
  built();
  tree_.change_up(tree_.find("leaf"), [](QueueUse& use) { use.pending_gpu_memory += 3; });
  for (const char* name : {"top", "mid", "leaf"})
    EXPECT_EQ(tree_.use(tree_.find(name)).pending_gpu_memory, 3);
  EXPECT_EQ(tree_.use(tree_.find("other")), QueueUse{});
}

}  // namespace
}  // namespace muster
