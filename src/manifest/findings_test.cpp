// Findings name the file, line, object and path.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "manifest/testing.hpp"

namespace muster {
namespace {

struct Case {
  const char* text;
  const char* findings;
};

TEST(Findings, OfUnknownFields) {
  const Case cases[] = {
      {"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\nspec:\n  parentqueue: p\n"
       "  resources:\n    gpu: {quota: 1, overQuotaWeigth: 2}\n    gpus: {quota: 1}\n",
       "W f.yaml:5: Queue q: spec.parentqueue: unknown field, ignored; did you mean \"parentQueue\"?\n"
       "W f.yaml:8: Queue q: spec.resources.gpus: unknown field, ignored; did you mean \"gpu\"?\n"
       "W f.yaml:7: Queue q: spec.resources.gpu.overQuotaWeigth: unknown field, ignored; did you mean "
       "\"overQuotaWeight\"?\n"},
      {"apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: g}\nspec:\n  queue: q\n"
       "  minMembers: 4\n  subGroups:\n  - {name: a, minMember: 1, min: 2}\nsepc: {}\n",
       "W f.yaml:9: PodGroup default/g: sepc: unknown field, ignored; did you mean \"spec\"?\n"
       "W f.yaml:6: PodGroup default/g: spec.minMembers: unknown field, ignored; did you mean "
       "\"minMember\"?\n"
       "W f.yaml:8: PodGroup default/g: spec.subGroups[0].min: unknown field, ignored\n"},
      {"apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n  levels:\n"
       "  - {nodeLabel: rack, nodelabel: x}\n",
       "W f.yaml:6: Topology t: spec.levels[0].nodelabel: unknown field, ignored; did you mean "
       "\"nodeLabel\"?\n"},
  };
  for (const auto& [text, findings] : cases)
    EXPECT_EQ(decoded(text).findings_text(), findings) << "of\n" << text;
}

TEST(Findings, OfUnknownLabelsAndAnnotations) {
  const auto of_pod = [](const char* metadata) {
    return decoded(fmt::format("apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  {}\n", metadata))
        .findings_text();
  };
  EXPECT_EQ(
      of_pod("annotations: {gpu-fractions: '0.5'}"),
      "W f.yaml:5: Pod default/p: metadata.annotations.gpu-fractions: unknown annotation, ignored; did you "
      "mean \"gpu-fraction\"?\n");
  EXPECT_EQ(
      of_pod("annotations: {kai.scheduler/shape: 1h}"),
      "W f.yaml:5: Pod default/p: metadata.annotations.kai.scheduler/shape: unknown annotation, ignored\n");
  EXPECT_EQ(
      of_pod("annotations: {kai.scheduler/queue: a}"),
      "W f.yaml:5: Pod default/p: metadata.annotations.kai.scheduler/queue: is a label, not an annotation; "
      "ignored\n");
  EXPECT_EQ(
      of_pod("labels: {kai.scheduler/quue: a}"),
      "W f.yaml:5: Pod default/p: metadata.labels.kai.scheduler/quue: unknown label, ignored; did you mean "
      "\"kai.scheduler/queue\"?\n");
  EXPECT_EQ(of_pod("labels: {kai.scheduler/preemptibility: never}"),
            "W f.yaml:5: Pod default/p: metadata.labels.kai.scheduler/preemptibility: \"never\" is not one "
            "of preemptible, non-preemptible, semi-preemptible; ignored\n");
  EXPECT_EQ(
      of_pod("annotations: {gpu-fraction: '0.5', example.com/gpu-fractions: '1', description: x, user: me}"),
      "");
  EXPECT_EQ(of_pod("labels: {app: web, gpu-fractions: a, kai.scheduler/preemptibility: Preemptible}"), "");
  EXPECT_EQ(decoded("{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: "
                    "{kai.scheduler/batch-min-members: "
                    "'2'}}}")
                .findings_text(),
            "W f.yaml:1: Job default/j: metadata.annotations.kai.scheduler/batch-min-members: unknown "
            "annotation, ignored; did you mean \"kai.scheduler/batch-min-member\"?\n");
}

TEST(Findings, OfUnusableObjects) {
  const Case cases[] = {
      {"kind: Pod\napiVersion: v1\n", "E f.yaml:1: Pod: metadata.name: is missing\n"},
      {"kind: Pod\napiVersion: v1\nmetadata:\n  generateName: x-\n",
       "E f.yaml:3: Pod: metadata.name: is missing\n"},
      {"kind: Pod\napiVersion: v1\nmetadata: [a]\n",
       "E f.yaml:3: Pod: metadata: must be an object, not a list\nE f.yaml:3: Pod: metadata.name: is "
       "missing\n"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: ns}\nspec:\n- a\n",
       "E f.yaml:4: Pod ns/a: spec: must be an object, not a list\n"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: x\n  - resources:\n  "
       "    requests:\n"
       "        cpu: lots\n        memory: -1\n",
       "E f.yaml:9: Pod default/a: spec.containers[1].resources.requests.cpu: \"lots\" is not a quantity\n"
       "E f.yaml:10: Pod default/a: spec.containers[1].resources.requests.memory: \"-1\" is negative\n"},
      {"{\"apiVersion\":\"v1\",\n\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[5, "
       "null]}}",
       "E f.yaml: Pod default/a: spec.containers[0]: must be an object, not a number\n"
       "E f.yaml: Pod default/a: spec.containers[1]: must be an object, not null\n"},
      {"apiVersion: v1\nkind: Node\nmetadata: {name: n}\nspec:\n  taints:\n  - {key: a}\n  - {key: a, "
       "effect: Never}\n",
       "E f.yaml:6: Node n: spec.taints[0].effect: is missing\n"
       "E f.yaml:7: Node n: spec.taints[1].effect: \"Never\" is not a valid taint effect\n"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  tolerations: [{operator: Like}]\n",
       "E f.yaml:5: Pod default/a: spec.tolerations[0].operator: \"Like\" is not a valid toleration "
       "operator\n"},
      {"apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n  levels:\n  - "
       "alias: a\n",
       "E f.yaml:6: Topology t: spec.levels[0].nodeLabel: is missing\n"},
      {"apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n  levels:\n"
       "  - nodeLabel: rack\n  - nodeLabel: rack\n",
       "E f.yaml:7: Topology t: spec.levels[1].nodeLabel: repeats the label of an earlier level\n"},
      {"- 1\n", "E f.yaml:1: not a Kubernetes object\n"},
      {"hello\n", "E f.yaml:1: not a Kubernetes object\n"},
      {"a: 1\n---\napiVersion: v1\nspec: {}\n", "E f.yaml:3: kind: is missing\n"},
      {"a: [\n", "E f.yaml:2: end of sequence flow not found\n"},
  };
  for (const auto& [text, findings] : cases) {
    const Collected c = decoded(text);
    EXPECT_EQ(c.findings_text(), findings) << "of\n" << text;
    EXPECT_TRUE(c.all<PodObject>().empty() && c.all<NodeObject>().empty() && c.all<TopologyObject>().empty())
        << "of\n"
        << text;
  }
}

TEST(Findings, OfIgnoredFields) {
  const Case cases[] = {
      {"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\nspec:\n  reclaimMinRuntime: "
       "\"10\"\n"
       "  preemptMinRuntime: -1s\n  priority: high\n  resources:\n    gpu:\n      quota: all\n",
       "W f.yaml:5: Queue q: spec.reclaimMinRuntime: \"10\" is not a duration such as 1h30m; ignored\n"
       "W f.yaml:6: Queue q: spec.preemptMinRuntime: \"-1s\" is negative; ignored\n"
       "W f.yaml:7: Queue q: spec.priority: must be a number, not a string; ignored\n"
       "W f.yaml:10: Queue q: spec.resources.gpu.quota: must be a number, not a string; ignored\n"},
      {"apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata:\n  name: g\n  annotations:\n"
       "    kai.scheduler/last-start-timestamp: yesterday\nspec:\n  minMember: -1\n  minSubGroup: 1.5\n"
       "  preemptionDelay: soon\n  stalenessGracePeriod: -5m\n  subGroups: [{name: a, minMember: "
       "3000000000}]\n",
       "W f.yaml:6: PodGroup default/g: metadata.annotations.kai.scheduler/last-start-timestamp: "
       "\"yesterday\" is not an RFC 3339 timestamp; ignored\n"
       "W f.yaml:8: PodGroup default/g: spec.minMember: is negative; ignored\n"
       "W f.yaml:9: PodGroup default/g: spec.minSubGroup: 1.5 is not a 32-bit integer; ignored\n"
       "W f.yaml:10: PodGroup default/g: spec.preemptionDelay: \"soon\" is not a duration such as 1h30m; "
       "ignored\n"
       "W f.yaml:12: PodGroup default/g: spec.subGroups[0].minMember: 3000000000 is not a 32-bit integer; "
       "ignored\n"},
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  creationTimestamp: null\n  labels: {app: 5}\n"
       "  annotations: {gpu-fraction: 0.50}\n  deletionTimestamp: x\nspec: {schedulerName: [a], hostNetwork: "
       "1}\n"
       "status: {phase: Paused}\n",
       "W f.yaml:6: Pod default/a: metadata.labels.app: must be a string, not a number; read as \"5\"\n"
       "W f.yaml:7: Pod default/a: metadata.annotations.gpu-fraction: must be a string, not a number; read "
       "as "
       "\"0.5\"\n"
       "W f.yaml:8: Pod default/a: metadata.deletionTimestamp: \"x\" is not an RFC 3339 timestamp; ignored\n"
       "W f.yaml:9: Pod default/a: spec.schedulerName: must be a string, not a list; ignored\n"
       "W f.yaml:9: Pod default/a: spec.hostNetwork: must be true or false, not a number; ignored\n"
       "W f.yaml:10: Pod default/a: status.phase: is not a pod phase; read as Unknown\n"},
  };
  for (const auto& [text, findings] : cases) {
    const Collected c = decoded(text);
    EXPECT_EQ(c.findings_text(), findings) << "of\n" << text;
    EXPECT_EQ(c.all<QueueObject>().size() + c.all<PodGroupObject>().size() + c.all<PodObject>().size(), 1u)
        << "of\n"
        << text;
  }
}

TEST(Findings, CountKinds) {
  const Collected c = decoded(
      "{kind: Deployment, apiVersion: apps/v1}\n---\n{kind: Deployment, apiVersion: apps/v1}\n---\n"
      "{kind: Thing}\n---\ntiers: []\n---\n{kind: Pod, apiVersion: v1, metadata: {name: a}}\n");
  EXPECT_EQ(c.findings_text(), "");
  EXPECT_EQ(c.findings.unknown_kinds,
            (std::map<std::string, std::int64_t>{{"apps/v1 Deployment", 2}, {"Thing", 1}, {"(no kind)", 1}}));
  EXPECT_EQ(c.findings.known_kinds, (std::map<std::string, std::int64_t>{{"Pod", 1}}));
}

TEST(Findings, OfTypedListsNameTheirItems) {
  const Collected c = decoded(
      "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n- metadata:\n    namespace: ns\n"
      "- metadata: {name: b}\n  spec:\n    priority: x\n");
  EXPECT_EQ(c.findings_text(),
            "E f.yaml:5: Pod: metadata.name: is missing\n"
            "W f.yaml:9: Pod default/b: spec.priority: must be a number, not a string; ignored\n");
  EXPECT_EQ(c.all<PodObject>().size(), 2u);
}

TEST(ReadManifests, ReadsFilesAndDirectoriesAndReportsThemAll) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(testing::TempDir()) / "read_manifests";
  fs::create_directories(directory);
  std::ofstream(directory / "a.yaml") << "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n";
  std::ofstream(directory / "b.json") << "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n";
  Collected c;
  c.findings = read_manifests({directory.string(), "/nowhere", (directory / "a.yaml").string()},
                              {.now = kTestNow}, [&](Object&& object) { c.take(std::move(object)); });
  EXPECT_EQ(c.all<PodObject>().size(), 2u);
  EXPECT_EQ(c.findings_text(), "E " + (directory / "b.json").string() +
                                   ":1: Pod: metadata.name: is missing\n"
                                   "E /nowhere: no such file or directory\n");
  fs::remove_all(directory);
}

}  // namespace
}  // namespace muster
