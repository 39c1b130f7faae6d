// Which live objects are checked after a change, and what is reported.
#include "serve/write/object_review.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/test_cluster.hpp"

namespace muster::serve {
namespace {

class ObjectReviewTest : public testing::Test {
 protected:
  ObjectReviewTest() {
    c.node("n1", {.gpus = 2}).queue("team", {.deserved = 2}).queue("other", {.deserved = 1});
    c.pending("good", {.queue = "team"}).pending("lost", {.queue = "teem"});
  }
  // One line per object that is checked.
  std::string look(const ObjectChanges& changes) {
    c.cluster().refresh(c.now());
    std::vector<std::string> lines;
    for (const Notice& notice : review.look(c.cluster(), changes, read)) {
      std::string line = notice.kind + " " + muster::key_of(notice.ns, notice.name);
      for (const std::string& text : notice.texts) line += "\n  " + text;
      lines.push_back(line + "\n");
    }
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
  }
  TestCluster c;
  ReadWarnings read;
  ObjectReview review{true};
};

constexpr const char* kLost =
    "PodGroup default/lost\n  spec.queue: queue \"teem\" is not in the cluster; did you mean \"team\"?\n";

TEST_F(ObjectReviewTest, ChecksOnlyChangedObjects) {
  EXPECT_EQ(look({}), "");
  EXPECT_EQ(look({.jobs = {"default/good"}}), "PodGroup default/good\n");
  EXPECT_EQ(look({.jobs = {"default/lost"}}), kLost);
  EXPECT_EQ(look({.jobs = {"default/gone"}, .nodes = {"gone"}, .pods = {"default/gone"}}), "");
}

TEST_F(ObjectReviewTest, ANewQueueCausesACheckOfAllJobs) {
  const std::string good = "PodGroup default/good\n";
  look({.queues = {"team", "other", "default"}});
  c.queue("teem", {.deserved = 1});
  EXPECT_EQ(look({.queues = {"teem"}}),
            good + "PodGroup default/lost\nQueue default\nQueue other\nQueue team\nQueue teem\n");
  EXPECT_EQ(look({.queues = {"teem"}}), "Queue teem\n") << "its status";
  c.queue("teem", {.deserved = 2, .limit = 1});
  EXPECT_EQ(look({.queues = {"teem"}}),
            "Queue default\nQueue other\nQueue team\n"
            "Queue teem\n  spec.resources.gpu.limit: 1 GPU is below the quota of 2 GPUs; the rest of "
            "the quota can never be used\n");
  EXPECT_EQ(look({.classes = true}).substr(0, good.size()), good);
}

TEST_F(ObjectReviewTest, WarningsFromReadingComeFirst) {
  read.add("PodGroup default/lost", "spec.preemptibility", "is none");
  EXPECT_EQ(
      look({.jobs = {"default/lost"}}),
      "PodGroup default/lost\n  spec.preemptibility: is none\n  spec.queue: queue \"teem\" is not in the "
      "cluster; did you mean \"team\"?\n");
  EXPECT_TRUE(read.forget("PodGroup default/lost"));
  EXPECT_FALSE(read.forget("PodGroup default/lost"));
  EXPECT_EQ(look({.jobs = {"default/lost"}}), kLost);
}

TEST_F(ObjectReviewTest, ReportsPodsAndNodes) {
  c.running("fat", {.queue = "team", .gpus = 3, .node = "n1"});
  read.add("Pod default/good-0", "metadata.annotations.gpu-fraction", "must be a number");
  EXPECT_EQ(
      look({.nodes = {"n1"}, .pods = {"default/good-0", "default/fat-0"}}),
      "Node n1\n  status.allocatable: is over-committed: its pods use 3 GPUs of 2 GPUs; no pod is placed "
      "there until they fit\n"
      "Pod default/fat-0\n"
      "Pod default/good-0\n  metadata.annotations.gpu-fraction: must be a number\n");
}

}  // namespace
}  // namespace muster::serve
