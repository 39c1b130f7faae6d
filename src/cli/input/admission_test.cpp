// Runtime classes anywhere in the files, and objects that the configuration leaves out.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kKata =
    "---\n{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata, overhead: "
    "{podFixed: {cpu: 40}}}\n";

class FilesOfUsers : public testing::Test {
 protected:
  Json simulated(const std::string& text, const std::string& config = "") {
    std::vector<std::string> arguments{
        "simulate", files_.add("c.yaml", text), "--now", "2025-06-01T12:00:00Z", "-o", "json"};
    if (!config.empty()) arguments.insert(arguments.end(), {"--config", files_.add("config.yml", config)});
    const Ran ran = run_muster(arguments);
    EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
    said_ = files_.without_root(ran.err);
    return ran.exit_code == kSuccess ? Json::parse(ran.out) : Json();
  }
  std::size_t binds(const std::string& text, const std::string& config = "") {
    return simulated(text, config)["rounds"][0]["binds"].size();
  }
  TemporaryFiles files_;
  std::string said_;
};

// ---------------------------------------------------------------- runtime classes

// Two pods for a node with 64 cores. With the overhead, only one of them fits.
std::string pods_of_runtime(const std::string& name) {
  std::string text;
  for (const char* pod : {"a", "b"})
    text +=
        std::string("---\n{apiVersion: v1, kind: Pod, metadata: {name: ") + pod +
        ", labels: {kai.scheduler/queue: team}}, spec: {schedulerName: kai-scheduler, runtimeClassName: " +
        name + ", containers: [{name: m, resources: {requests: {cpu: \"1\"}}}]}}\n";
  return text;
}

TEST_F(FilesOfUsers, RuntimeClassOverheadCountsInAnyOrder) {
  const std::string cluster = node_yaml("n1", 1) + queue_yaml("team", "", kUnbounded);
  EXPECT_EQ(binds(cluster + kKata + pods_of_runtime("kata")), 1U);
  EXPECT_THAT(said_, Not(HasSubstr("RuntimeClass")));
  EXPECT_EQ(binds(cluster + pods_of_runtime("kata") + kKata), 1U);
  EXPECT_THAT(said_, Not(HasSubstr("RuntimeClass")));
}

TEST_F(FilesOfUsers, AnUnknownRuntimeClassIsOneWarning) {
  const std::string cluster = node_yaml("n1", 1) + queue_yaml("team", "", kUnbounded);
  EXPECT_EQ(binds(cluster + pods_of_runtime("gvisor")), 2U);
  EXPECT_THAT(said_, HasSubstr("warning: c.yaml:6: Pod default/a: spec.runtimeClassName: RuntimeClass "
                               "\"gvisor\" is not in these files; its overhead and scheduling rules are not "
                               "applied (and 1 more pod)\n"));
  EXPECT_EQ(said_.find("gvisor"), said_.rfind("gvisor"));
}

TEST_F(FilesOfUsers, RuntimeClassesApplyToWorkloads) {
  const std::string job =
      "---\n{apiVersion: batch/v1, kind: Job, metadata: {name: w, labels: {kai.scheduler/queue: team}}, "
      "spec: "
      "{parallelism: 2, template: {spec: {schedulerName: kai-scheduler, runtimeClassName: kata, containers: "
      "[{name: m, resources: {requests: {cpu: \"1\"}}}]}}}}\n";
  const std::string cluster = node_yaml("n1", 1) + queue_yaml("team", "", kUnbounded);
  EXPECT_EQ(binds(cluster + job), 2U);
  EXPECT_THAT(said_, HasSubstr("warning: c.yaml:6: Pod default/w-0: spec.runtimeClassName: RuntimeClass "
                               "\"kata\" is not in these files; its overhead and scheduling rules are not "
                               "applied (and 1 more pod)\n"));
  EXPECT_EQ(binds(cluster + job + kKata), 1U);
}

// ---------------------------------------------------------------- what is left out

std::string labelled(std::string yaml, const std::string& labels) {
  return yaml.insert(yaml.find("metadata: {") + 11, "labels: {" + labels + "}, ");
}

TEST_F(FilesOfUsers, ObjectsOfAnotherNodePoolAreCounted) {
  const std::string pool = "kai.scheduler/node-pool: train";
  const std::string text = node_yaml("n1", 1) + queue_yaml("team", "", kUnbounded) +
                           job_yaml("j", "team", 1, 1, 1) + labelled(node_yaml("n2", 1), pool) +
                           labelled(node_yaml("n3", 1), pool) + labelled(group_yaml("k", "team", 1), pool) +
                           pod_yaml("k-0", "k", 1);
  EXPECT_EQ(binds(text), 1U);
  EXPECT_EQ(said_,
            "note: 2 Nodes and 1 PodGroup left out: label kai.scheduler/node-pool names a node pool, but the "
            "configuration sets no partitionLabelValue\n");
  const Json chosen =
      simulated(text, std::string(kAllocateOnly) + "schedulerParams: {partitionLabelValue: train}\n");
  EXPECT_THAT(said_, HasSubstr("note: 1 Node, 1 PodGroup and 1 Queue left out: label "
                               "kai.scheduler/node-pool is not \"train\" (partitionLabelValue in the "
                               "configuration)\n"));
  EXPECT_THAT(said_, Not(HasSubstr("PodGroup default/j is not in these files")));
}

TEST_F(FilesOfUsers, TheLastObjectOfANameDecidesTheNodePool) {
  const std::string pool = "kai.scheduler/node-pool: train";
  binds(labelled(node_yaml("n1", 1), pool) + queue_yaml("team", "", kUnbounded) +
        job_yaml("j", "team", 1, 1, 1) + node_yaml("n1", 1));
  EXPECT_THAT(said_, Not(HasSubstr("left out")));
}

TEST_F(FilesOfUsers, CreatedGroupsOfAnotherNodePoolAreCounted) {
  binds(node_yaml("n1", 1) + queue_yaml("team", "", kUnbounded) +
        "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {kai.scheduler/queue: team, "
        "kai.scheduler/node-pool: train}}, spec: {schedulerName: kai-scheduler, containers: [{name: m}]}}\n");
  EXPECT_THAT(said_,
              HasSubstr("note: 1 PodGroup left out: label kai.scheduler/node-pool names a node pool, "));
}

TEST_F(FilesOfUsers, NonWorkerNodesAreCountedIfNodesAreRestricted) {
  const std::string text = node_yaml("n1", 1) +
                           labelled(node_yaml("n2", 1), "node-role.kubernetes.io/gpu-worker: \"\"") +
                           queue_yaml("team", "", kUnbounded) + job_yaml("j", "team", 1, 1, 1);
  EXPECT_EQ(binds(text, std::string(kAllocateOnly) + "schedulerParams: {restrictSchedulingNodes: true}\n"),
            1U);
  EXPECT_EQ(said_,
            "note: 1 Node left out: restrictSchedulingNodes is set, but neither label "
            "node-role.kubernetes.io/cpu-worker nor node-role.kubernetes.io/gpu-worker is present\n");
  EXPECT_EQ(binds(text, kAllocateOnly), 1U);
  EXPECT_EQ(said_, "");
}

}  // namespace
}  // namespace muster::cli
