// The warnings of `muster validate`, with the lines they refer to.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using testing::HasSubstr;

class Validate : public testing::Test {
 protected:
  Ran validated(const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"validate", files_.add("c.yaml", text), "--config", files_.add("config.yml", config_)});
    Ran ran = run_muster(more);
    ran.out = files_.without_root(ran.out);
    return ran;
  }
  // The output before the summary line.
  std::string findings(const std::string& text) {
    const std::string out = validated(text).out;
    return out.substr(0, out.rfind('\n', out.size() - 2) + 1);
  }
  TemporaryFiles files_;
  std::string config_ = kAllocateOnly;
};

TEST_F(Validate, CountsObjects) {
  const Ran ran =
      validated(node_yaml("n1", 8) + queue_yaml("q", "", kUnbounded) + job_yaml("j", "q", 2, 2, 1));
  EXPECT_EQ(ran.exit_code, kSuccess);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, "1 Node, 2 Pod, 1 PodGroup, 1 Queue in 1 file: 0 errors, 0 warnings\n");
}

TEST_F(Validate, ReportsEveryErrorWithItsLine) {
  const Ran ran = validated(R"(apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec:
  reclaimMinRuntime: "10"
  resources:
    gpu: {quota: 1, limit: -1, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - resources: {requests: {memory: 64Gx}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
)");
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_EQ(
      ran.out,
      "error: c.yaml:16: Pod default/p: spec.containers[0].resources.requests.memory: \"64Gx\" is not a "
      "quantity\n"
      "warning: c.yaml:5: Queue q: spec.reclaimMinRuntime: \"10\" is not a duration such as 1h30m; ignored\n"
      "note: 1 object of kind apps/v1 Deployment not used: no spec.template.spec\n"
      "1 Pod, 1 Queue in 1 file: 1 error, 1 warning\n");
}

TEST_F(Validate, WarningsFailOnlyAStrictRun) {
  const std::string text = queue_yaml("a", "b", kUnbounded);
  EXPECT_EQ(validated(text).exit_code, kSuccess);
  EXPECT_EQ(validated(text, {"--strict"}).exit_code, kNo);
}

TEST_F(Validate, ComparesQuotasLimitsAndWeights) {
  EXPECT_EQ(findings(queue_yaml("top", "", "quota: 4, limit: -1, overQuotaWeight: 1") +
                     queue_yaml("a", "top", "quota: 3, limit: -1, overQuotaWeight: 1") +
                     queue_yaml("b", "top", "quota: 2, limit: -1, overQuotaWeight: 1")),
            "warning: c.yaml:2: Queue top: spec.resources.gpu.quota: 4 GPUs is less than the sum of the "
            "quotas of its child queues (5 GPUs)\n");
  EXPECT_EQ(findings(queue_yaml("q", "", "quota: 4, limit: 2, overQuotaWeight: 1")),
            "warning: c.yaml:2: Queue q: spec.resources.gpu.limit: 2 GPUs is below the quota of 4 GPUs; "
            "the rest of the quota can never be used\n");
  EXPECT_EQ(findings(queue_yaml("q", "", "quota: 4, overQuotaWeight: 1")),
            "warning: c.yaml:2: Queue q: spec.resources.gpu.limit: is missing and counts as 0: no pod that "
            "requests "
            "GPUs can run here; -1 means no limit\n");
  EXPECT_EQ(findings(queue_yaml("q", "", "quota: 0, limit: 0, overQuotaWeight: 1")), "")
      << "a limit of 0 is intended";
  EXPECT_EQ(findings(queue_yaml("q", "", "quota: 4, limit: -2, overQuotaWeight: 1")),
            "warning: c.yaml:2: Queue q: spec.resources.gpu.limit: -2 is negative; write -1 for "
            "unlimited\n");
  EXPECT_EQ(
      findings(queue_yaml("q", "", "quota: 0, limit: -1, overQuotaWeight: 0")),
      "warning: c.yaml:2: Queue q: spec.resources.gpu.quota: quota and overQuotaWeight are both 0: the fair "
      "share is always 0, and jobs here can use only the GPUs that no other queue requests\n");
}

TEST_F(Validate, ComparesTopQuotasWithTheNodes) {
  const std::string queues = queue_yaml("a", "", "quota: 6, limit: -1, overQuotaWeight: 1") +
                             queue_yaml("b", "", "quota: 4, limit: -1, overQuotaWeight: 1");
  EXPECT_EQ(findings(queues), "") << "no nodes, nothing to compare with";
  EXPECT_EQ(findings(node_yaml("n1", 8) + queues),
            "warning: c.yaml:4: Queue a: spec.resources.gpu.quota: the quotas of the top queues sum to 10 "
            "GPUs; the "
            "nodes have 8 GPUs\n");
}

TEST_F(Validate, FindsUnreachableQueues) {
  EXPECT_EQ(
      findings(queue_yaml("a", "b", kUnbounded) + job_yaml("j", "a", 1, 1, 1)),
      "warning: c.yaml:2: Queue a: spec.parentQueue: parent queue \"b\" does not exist; this queue and all "
      "below it are ignored\n"
      "warning: c.yaml:4: PodGroup default/j: spec.queue: queue \"a\" is left out because a queue above "
      "it is invalid; the job cannot run\n");
  EXPECT_THAT(findings(queue_yaml("a", "b", kUnbounded) + queue_yaml("b", "a", kUnbounded)),
              HasSubstr("Queue a: spec.parentQueue: the queue is its own ancestor"));
}

TEST_F(Validate, FindsJobsWithoutAQueueToRunIn) {
  const std::string queues = queue_yaml("top", "", kUnbounded) + queue_yaml("leaf", "top", kUnbounded);
  EXPECT_EQ(findings(queues + group_yaml("j", "top", 1)),
            "warning: c.yaml:6: PodGroup default/j: spec.queue: queue \"top\" has queues below it; jobs run "
            "in leaf "
            "queues only\n");
  EXPECT_EQ(
      findings(queues + group_yaml("j", "laef", 1)),
      "warning: c.yaml:6: PodGroup default/j: spec.queue: queue \"laef\" is not in these files; did you mean "
      "\"leaf\"?\n");
}

TEST_F(Validate, FindsTopologiesThatDoNotExist) {
  const std::string job = queue_yaml("q", "", kUnbounded) + R"(---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: j}
spec:
  queue: q
  topologyConstraint: {topology: net, requiredTopologyLevel: row}
)";
  EXPECT_EQ(findings(job),
            "warning: c.yaml:9: PodGroup default/j: spec.topologyConstraint: topology \"net\" is not in "
            "these files\n");
  EXPECT_EQ(findings(job + R"(---
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: net}
spec: {levels: [{nodeLabel: rack}]}
)"),
            "warning: c.yaml:9: PodGroup default/j: spec.topologyConstraint: topology \"net\" has no level "
            "\"row\"\n");
}

TEST_F(Validate, FindsPodsWithoutAJob) {
  EXPECT_EQ(findings(pod_yaml("p-0", "gone", 1) + pod_yaml("p-1", "gone", 1)),
            "warning: c.yaml:2: Pod default/p-0: metadata.annotations.pod-group-name: PodGroup default/gone "
            "is not in "
            "these files (and 1 more pod)\n");
  EXPECT_EQ(findings(queue_yaml("q", "", kUnbounded) + group_yaml("j", "q", 1) + R"(---
apiVersion: v1
kind: Pod
metadata:
  name: p
  annotations: {pod-group-name: j}
  labels:
    kai.scheduler/subgroup-name: workers
spec: {schedulerName: kai-scheduler}
)"),
            "warning: c.yaml:12: Pod default/p: metadata.labels.kai.scheduler/subgroup-name: PodGroup "
            "default/j has no "
            "sub group \"workers\"\n");
}

TEST_F(Validate, FindsPodsLargerThanAnyNode) {
  const std::string queue = queue_yaml("q", "", kUnbounded);
  EXPECT_EQ(findings(node_yaml("n1", 8) + queue + job_yaml("j", "q", 1, 2, 16)),
            "warning: c.yaml:8: Pod default/j-0: spec.containers: requests 16 GPUs; the largest node has 8 "
            "GPUs (and 1 more pod)\n");
  const std::string no_memory = R"(---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "64", nvidia.com/gpu: "8", pods: "1"}}}
)";
  EXPECT_EQ(findings(node_yaml("n1", 0) + no_memory + queue + job_yaml("j", "q", 1, 1, 1)),
            "warning: c.yaml:10: Pod default/j-0: spec.containers: does not fit any node: no single node "
            "has everything it requests\n");
}

TEST_F(Validate, FindsMinimumRuntimesWithoutEffect) {
  const auto queue = [](const char* name, const char* parent, const char* more) {
    return queue_yaml(name, parent, kUnbounded, more);
  };
  EXPECT_EQ(
      findings(queue("top", "", "preemptMinRuntime: 5m, ") + queue("a", "top", "preemptMinRuntime: 1m, ")),
      "warning: c.yaml:2: Queue top: spec.preemptMinRuntime: has no effect: every queue below sets its "
      "own\n");
  EXPECT_EQ(
      findings(queue("top", "", "") + queue("a", "top", "reclaimMinRuntime: 1m, ")),
      "warning: c.yaml:4: Queue a: spec.reclaimMinRuntime: has no effect: under reclaimResolveMethod lca it "
      "applies only against other queues of top, and there are none\n");
  const std::string cousins = queue("top", "", "reclaimMinRuntime: 10m, ") +
                              queue("a", "top", "reclaimMinRuntime: 1m, ") + queue("b", "top", "");
  EXPECT_EQ(findings(cousins),
            "warning: c.yaml:4: Queue a: spec.reclaimMinRuntime: 1m0s applies only against queues of top; "
            "against all "
            "others, the 10m0s of queue top or a queue above it applies (reclaimResolveMethod lca)\n");
  config_ =
      "tiers: [{plugins: [{name: predicates}, {name: proportion}, {name: minruntime, arguments: "
      "{reclaimResolveMethod: queue}}]}]\nactions: "
      "allocate\n";
  EXPECT_THAT(findings(cousins), testing::Not(HasSubstr("warning")));
}

TEST_F(Validate, FindsObjectsGivenTwice) {
  EXPECT_EQ(findings(queue_yaml("q", "", kUnbounded) + queue_yaml("q", "", kUnbounded)),
            "warning: c.yaml:4: Queue q: is already defined in c.yaml:2; this later definition is used\n");
}

TEST_F(Validate, ChecksAConfigurationAlone) {
  const std::string config = files_.add("s.yaml", "actions: alocate\n");
  const Ran ran = run_muster({"validate", "--config", config});
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_THAT(files_.without_root(ran.out), HasSubstr("error: s.yaml:1: actions: "));
}

TEST_F(Validate, AnswersInJson) {
  const Ran ran = validated(queue_yaml("q", "", "quota: 4, limit: 2, overQuotaWeight: 1"), {"-o", "json"});
  EXPECT_EQ(ran.exit_code, kSuccess);
  EXPECT_EQ(
      nlohmann::ordered_json::parse(ran.out).dump(),
      R"({"schema":"muster.dev/validate/v1","valid":true,"errors":[],"warnings":[{"file":"c.yaml","line":2,"object":"Queue q",)"
      R"("field":"spec.resources.gpu.limit","message":"2 GPUs is below the quota of 4 GPUs; the rest of )"
      R"(the quota can never be used"}],"notes":[],"files":1,"kinds":{"Queue":1},"unknownKinds":{}})");
}

}  // namespace
}  // namespace muster::cli
