// Domains by level, and how they follow changes of nodes and topologies.
#include "model/topology_tree.hpp"

#include <gtest/gtest.h>

#include "model/cluster.hpp"

namespace muster {
namespace {

class TopologyTreeTest : public testing::Test {
 protected:
  void node(const std::string& name, Labels labels) {
    cluster.apply(NodeObject{.meta = {.name = name, .labels = std::move(labels)}});
  }
  const TopologyTree& tree() {
    cluster.refresh({});
    return *cluster.topology("net");
  }
  std::string text() {
    std::string out;
    const TopologyTree& t = tree();
    for (std::size_t i = 0; i < t.size(); ++i) {
      out += t[TopologyDomainId(i)].id + ":";
      for (std::uint32_t rank : t.ranks(TopologyDomainId(i)))
        out += " " + cluster.node(cluster.nodes_by_name()[rank]).name;
      out += "\n";
    }
    return out;
  }
  TopologyTreeTest() {
    cluster.apply(TopologyObject{.meta = {.name = "net"}, .levels = {{"zone", ""}, {"rack", "r"}}});
    node("n1", {{"zone", "b"}, {"rack", "1"}});
    node("n2", {{"zone", "a"}, {"rack", "1"}});
    node("n3", {{"zone", "a"}, {"rack", "2"}});
    node("n4", {{"zone", "a"}, {"rack", "1"}});
    node("n5", {{"zone", "a"}});
  }
  Cluster cluster;
};

TEST_F(TopologyTreeTest, DomainsAreOrderedByLevelAndId) {
  EXPECT_EQ(text(),
            "root: n2 n4 n3 n1\n"
            "a: n2 n4 n3\n"
            "b: n1\n"
            "a.1: n2 n4\n"
            "a.2: n3\n"
            "b.1: n1\n");
}

TEST_F(TopologyTreeTest, FollowsNodesAndTopologies) {
  tree();
  node("n5", {{"zone", "b"}, {"rack", "0"}});
  cluster.remove("Node", "", "n3");
  EXPECT_EQ(text(),
            "root: n2 n4 n5 n1\n"
            "a: n2 n4\n"
            "b: n5 n1\n"
            "a.1: n2 n4\n"
            "b.0: n5\n"
            "b.1: n1\n");
  cluster.apply(TopologyObject{.meta = {.name = "net"}, .levels = {{"zone", ""}}});
  EXPECT_EQ(text(), "root: n2 n4 n1 n5\na: n2 n4\nb: n1 n5\n");
  cluster.remove("Topology", "", "net");
  cluster.refresh({});
  EXPECT_EQ(cluster.topology("net"), nullptr);
}

TEST_F(TopologyTreeTest, LevelsHaveNamesAndAliases) {
  EXPECT_EQ(tree().level("zone"), 1U);
  EXPECT_EQ(tree().level("rack"), 2U);
  EXPECT_EQ(tree().level("r"), 2U);
  EXPECT_EQ(tree().level("row"), std::nullopt);
  EXPECT_EQ(tree().level(""), std::nullopt);
}

TEST_F(TopologyTreeTest, CommonDomains) {
  const TopologyTree& t = tree();
  const auto leaf = [&](const char* name) { return t.leaf(cluster.rank(cluster.find_node(name))); };
  EXPECT_EQ(t[t.common(leaf("n2"), leaf("n4"))].id, "a.1");
  EXPECT_EQ(t[t.common(leaf("n2"), leaf("n3"))].id, "a");
  EXPECT_EQ(t[t.common(leaf("n2"), leaf("n1"))].id, "root");
  EXPECT_EQ(t[t.ancestor(leaf("n3"), 1)].id, "a");
  EXPECT_FALSE(leaf("n5").valid());
}

TEST_F(TopologyTreeTest, AClusterWithoutNodesHasARootOnly) {
  Cluster empty;
  empty.apply(TopologyObject{.meta = {.name = "net"}, .levels = {{"zone", ""}}});
  empty.refresh({});
  ASSERT_NE(empty.topology("net"), nullptr);
  EXPECT_EQ(empty.topology("net")->size(), 1U);
}

}  // namespace
}  // namespace muster
