// Parsing of changes; and the objects that changes are made from contain everything the model knows.
#include "answers/change.hpp"

#include <gtest/gtest.h>

#include "answers/api_objects.hpp"
#include "tests/test_cluster.hpp"

namespace muster::answers {
namespace {

std::string read_back(const std::string& text) {
  const auto change = parse_setting(text);
  return change ? answers::text_of(*change) : change.error().text();
}

TEST(Change, IsParsedFromASetting) {
  EXPECT_EQ(read_back("queue/a.b.gpu.quota=12"), "queue a.b: quota none → 12 GPUs");
  EXPECT_EQ(read_back("queue/a.memory.limit=-1"), "queue a: limit none → unlimited GB");
  EXPECT_EQ(read_back("queue/a.cpu.overQuotaWeight=2"), "queue a: cpu over-quota weight none → 2");
  EXPECT_EQ(read_back("job/ns/x.priority=train"), "job ns/x: priority none → train");
  EXPECT_EQ(read_back("queue/a.parentQueue="), "queue a: parent none → none");
}

TEST(Change, NamesWhatIsWrongWithASetting) {
  EXPECT_EQ(read_back("queue/a.gpu.quota"),
            "--set queue/a.gpu.quota: has no value; write queue/NAME.gpu.quota=12");
  EXPECT_EQ(
      read_back("queue/a.gpu.qouta=1"),
      "--set queue/a.gpu.qouta=1: a queue has no field \"qouta\" (it has quota, limit, overQuotaWeight, "
      "priority, preemptMinRuntime, reclaimMinRuntime, parentQueue); did you mean \"quota\"?");
  EXPECT_EQ(read_back("queue/a.gpus.quota=1"),
            "--set queue/a.gpus.quota=1: \"gpus\" is invalid; expected one of cpu, memory, gpu (write "
            "queue/NAME.gpu.quota=12); did you mean \"gpu\"?");
  EXPECT_EQ(read_back("queue/a.gpu.quota=many"), "--set queue/a.gpu.quota=many: \"many\" is not a number");
  EXPECT_EQ(read_back("queue/a.gpu.quota=nan"), "--set queue/a.gpu.quota=nan: \"nan\" is not a number");
  EXPECT_EQ(read_back("node/a.x=1"), "--set node/a.x=1: must start with queue/ or job/");
}

class Changes : public testing::Test {
 protected:
  std::string apply_to(TestCluster& c, Change change) {
    TimePoint now = c.now();
    c.cluster().refresh(now);
    const auto done = answers::apply(change, c.cluster(), now);
    c.cluster().refresh(now);
    return done ? answers::text_of(change) : done.error().text();
  }
};

TEST_F(Changes, NameMissingObjects) {
  TestCluster c;
  c.node("gpu-1").queue("team").pending("train");
  EXPECT_EQ(
      apply_to(c,
               {.kind = ChangeKind::kQueueQuota, .target = "taem", .resource = Accounted::kGpus, .to = 1.0}),
      "there is no queue \"taem\"; did you mean \"team\"?");
  EXPECT_EQ(apply_to(c, {.kind = ChangeKind::kDrainNode, .target = "gpu-2"}),
            "there is no node \"gpu-2\"; did you mean \"gpu-1\"?");
  EXPECT_EQ(apply_to(c, {.kind = ChangeKind::kDeleteJob, .target = "trian"}),
            "there is no job or pod \"trian\"; did you mean \"train\"?");
  EXPECT_EQ(apply_to(c, {.kind = ChangeKind::kJobPriority, .target = "train", .to = std::string("high")}),
            "there is no priority class \"high\"; the nearest is \"priority-50\"");
  EXPECT_EQ(apply_to(c, {.kind = ChangeKind::kQueueParent, .target = "team", .to = std::string("team")}),
            "queue team: cannot be moved below team, which is in its own subtree");
}

TEST_F(Changes, RemoveNodesAndTheirPodsBecomePending) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).node("n2", {.gpus = 2}).running("a", {.gpus = 2, .node = "n1"});
  EXPECT_EQ(apply_to(c, {.kind = ChangeKind::kDrainNode, .target = "n1"}), "node n1 drained");
  EXPECT_EQ(c.cycle(), "bind a-0 n2");
}

TEST_F(Changes, AddNodesLikeOthersOrAsDescribed) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).pending("a", {.tasks = 2, .gpus = 4});
  EXPECT_EQ(apply_to(c, *parse_addition("1:like=n1")), "1 more node like n1");
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(apply_to(c, *parse_addition("2:gpus=4,cpu=8,memory=1Ti")),
            "2 more nodes with gpus=4,cpu=8,memory=1Ti");
  EXPECT_EQ(c.cycle(), "bind a-0 new-new-1; bind a-1 new-new-2");
  EXPECT_FALSE(parse_addition("many:like=n1"));
  EXPECT_FALSE(parse_addition("1000000:like=n1"));
  EXPECT_EQ(
      apply_to(c, *parse_addition("1:gpu=4")),
      "--add gpu=4: \"gpu\" is invalid; expected one of gpus, cpu, memory, pods; did you mean \"gpus\"?");
  EXPECT_EQ(apply_to(c, *parse_addition("1:gpus=4,gpus=8")), "--add gpus=4,gpus=8: gpus is given twice");
}

TEST_F(Changes, OfPodsChangeTheirRequests) {
  TestCluster c;
  c.node("n1", {.gpus = 2}).pending("a", {.gpus = 4});
  EXPECT_EQ(gpus_per_pod(c.cluster(), c.job_id("a")), 4);
  EXPECT_EQ(apply_to(c, {.kind = ChangeKind::kPodSize, .target = "a", .to = 2.0}),
            "job default/a: GPUs per pod 4 → 2");
  EXPECT_EQ(c.cycle(), "bind a-0 n1");
}

TEST(ObjectsAgain, ContainEverythingTheModelKnows) {
  TestCluster c;
  c.node("n1", {.gpus = 4, .labels = {{"zone", "a"}}}).queue("team", {.limit = 3});
  c.topology("net", {"zone"});
  c.running("a", {.queue = "team", .gpus = 2, .node = "n1", .preemptibility = "semi-preemptible"});
  c.pending("b", {.queue = "team", .tasks = 3, .min = 2, .gpus = 1, .topology = {"net", "zone", ""}});
  c.pending("c", {.groups = {{.name = "x", .tasks = 1}, {.name = "y", .parent = "x", .tasks = 1}}});
  c.cluster().refresh(c.now());
  const std::string before = c.cluster().fingerprint();
  for (const char* name : {"a", "b", "c"})
    c.cluster().apply(Object(pod_group_of(c.cluster(), c.job_id(name))));
  c.cluster().apply(node_object_of(c.cluster(), c.node_id("n1")));
  for (const char* name : {"a-0", "b-0", "b-1", "b-2"})
    c.cluster().reshape(c.task_id(name), asks_of(c.cluster(), c.task_id(name)));
  c.cluster().refresh(c.now());
  EXPECT_EQ(c.cluster().fingerprint(), before);
  EXPECT_EQ(c.cluster().recount(), "");
}

}  // namespace
}  // namespace muster::answers
