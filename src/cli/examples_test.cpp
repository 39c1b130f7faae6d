// Checks that every example behaves as examples/README.md describes.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string example(const std::string& path) { return std::string(MUSTER_EXAMPLES) + "/" + path; }

Json simulated(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.insert(arguments.end(), {"--now", "2025-06-01T12:00:00Z", "-o", "json"});
  const Ran ran = run_muster(arguments);
  EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
  return Json::parse(ran.out);
}

std::map<std::string, int> running_pods(const Json& result) {
  std::map<std::string, int> running;
  for (const Json& pod : result["pods"])
    if (pod["phase"] == "Running") ++running[pod["podGroup"]];
  return running;
}

// Maps each job to the code of its first reason.
std::map<std::string, std::string> first_reasons(const Json& result) {
  std::map<std::string, std::string> reasons;
  for (const Json& job : result["jobs"]) {
    const std::string name = job["name"];
    if (!job["reasons"].empty()) reasons[name.substr(name.find('/') + 1)] = job["reasons"][0]["reason"];
  }
  return reasons;
}

// Lists the findings as "Queue a spec.parentQueue".
std::vector<std::string> places(const Json& findings) {
  std::vector<std::string> list;
  for (const Json& f : findings)
    list.push_back(f["object"].get<std::string>() + " " + f["field"].get<std::string>());
  return list;
}

using Counts = std::map<std::string, int>;
using Reasons = std::map<std::string, std::string>;

TEST(Examples, Tour) {
  const Json result = simulated({example("tour"), "--cycles", "2"});
  EXPECT_EQ(running_pods(result), (Counts{{"augment-sweep", 4},
                                          {"chat-api", 4},
                                          {"eval-1", 1},
                                          {"eval-2", 1},
                                          {"llm-pretrain", 2},
                                          {"ranker", 4},
                                          {"resnet", 8}}));
  EXPECT_EQ(first_reasons(result), (Reasons{{"augment-sweep", "OverLimit"},
                                            {"eval-3", "PodSchedulingErrors"},
                                            {"eval-4", "PodSchedulingErrors"},
                                            {"eval-5", "PodSchedulingErrors"},
                                            {"eval-6", "PodSchedulingErrors"},
                                            {"giant", "RequestLargerThanAnyNode"},
                                            {"h200-only", "PodSchedulingErrors"},
                                            {"nightly", "SchedulingGated"},
                                            {"ranker-large", "OverLimit"},
                                            {"voice-api", "NonPreemptibleOverQuota"}}));
}

TEST(Examples, TourIsValidExceptForTheGiant) {
  const Ran ran = run_muster({"validate", example("tour")});
  EXPECT_EQ(ran.exit_code, kSuccess);
  EXPECT_THAT(ran.out, HasSubstr("requests 16 GPUs; the largest node has 8 GPUs"));
  EXPECT_THAT(ran.out, HasSubstr(": 0 errors, 1 warning\n"));
}

TEST(Examples, PastUse) {
  EXPECT_EQ(running_pods(simulated({example("usage/cluster.yaml")})), (Counts{{"busy", 4}, {"calm", 4}}));
  EXPECT_EQ(running_pods(simulated({example("usage/cluster.yaml"), "--usage", example("usage/usage.yaml")})),
            (Counts{{"busy", 2}, {"calm", 6}}));
}

TEST(Examples, Fragments) {
  const Json ours = simulated({example("fragments")});
  EXPECT_EQ(
      running_pods(ours),
      (Counts{{"chat", 1}, {"notebook", 1}, {"search", 1}, {"train-a", 1}, {"train-b", 1}, {"vision", 1}}));
  EXPECT_TRUE(ours["rounds"][0]["evictions"].empty());
  EXPECT_EQ(ours["nodes"][0]["gpusFragmented"], 0);
  EXPECT_THAT(run_muster({"simulate", example("fragments"), "--now", "2025-06-01T12:00:00Z"}).out,
              HasSubstr("fragmented"));
  const Json packed = simulated({example("fragments"), "--kai-exact"});
  EXPECT_EQ(packed["rounds"][0]["evictions"].size(), 4U);
  EXPECT_FALSE(packed["nodes"][0].contains("gpusFragmented"));
}

TEST(Examples, Requeue) {
  const Json result = simulated({example("requeue"), "--cycles", "4", "--interval", "10m"});
  EXPECT_EQ(running_pods(result), (Counts{{"notebook", 1}, {"train", 2}, {"urgent", 1}}));
  const Json& first = result["rounds"][0];
  ASSERT_EQ(first["evictions"].size(), 1U);
  EXPECT_EQ(first["evictions"][0]["pod"], "default/sweep-0");
  EXPECT_EQ(first["evictions"][0]["action"], "requeue");
  EXPECT_EQ(first["requeue"]["nominated"].size(), 2U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(result["rounds"][i]["evictions"].empty());
}

// Returns the section of the text output whose heading begins with `heading`.
std::string section(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find("\n" + heading) + 1;
  return text.substr(begin, text.find("\n\n", begin) + 1 - begin);
}

std::string requeue_section(const std::string& cycles, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"simulate", example("requeue"), "--cycles", cycles, "--interval", "10m", "--now",
                             "2025-06-01T12:00:00Z"});
  return section(run_muster(more).out, "Requeue");
}

TEST(Examples, RequeueAsText) {
  EXPECT_EQ(requeue_section("4"), R"(Requeue
  cycles  job       what           why
  1       sweep     requeued       1 pod for urgent; not nominated again before 2025-06-01T12:30:00Z
  1 to 4  notebook  nominated      overdue since 2025-06-01T11:00:00Z, reported by expectedruntime
  1       sweep     nominated      overdue since 2025-06-01T08:00:00Z, reported by expectedruntime
  2 to 4  sweep     not nominated  not_running
)");
}

TEST(Examples, RequeueAsADryRun) {
  const TemporaryFiles files;
  const std::string config = files.add("dry.yaml", R"(
actions: allocate, requeue
actionArguments: {requeue: {dryRun: "true"}}
)");
  EXPECT_EQ(requeue_section("1", {"--config", config}), R"(Requeue (dry run: no pods are evicted)
  cycles  job       what               why
  1       sweep     would be requeued  1 pod for urgent; not nominated again before 2025-06-01T12:30:00Z
  1       notebook  nominated          overdue since 2025-06-01T11:00:00Z, reported by expectedruntime
  1       sweep     nominated          overdue since 2025-06-01T08:00:00Z, reported by expectedruntime
)");
}

// Maps each pod to "node/group/group".
std::map<std::string, std::string> bound_pods(const Json& result) {
  std::map<std::string, std::string> bound;
  for (const Json& bind : result["rounds"][0]["binds"]) {
    const std::string pod = bind["pod"];
    std::string& place = bound[pod.substr(pod.find('/') + 1)] = bind["node"];
    for (const Json& group : bind["gpuGroups"]) place += "/" + group.get<std::string>();
  }
  return bound;
}

TEST(Examples, Racks) {
  const Json result = simulated({example("racks")});
  EXPECT_EQ(bound_pods(result),
            (std::map<std::string, std::string>{{"tight-0", "gpu-1"},
                                                {"tight-1", "gpu-1"},
                                                {"tight-2", "gpu-2"},
                                                {"tight-3", "gpu-2"},
                                                {"loose-0", "gpu-7"},
                                                {"loose-1", "gpu-8"},
                                                {"loose-2", "gpu-5"},
                                                {"loose-3", "gpu-6"},
                                                {"notebook-1-0", "gpu-5/gpu-5-shared-0"},
                                                {"notebook-2-0", "gpu-5/gpu-5-shared-0"},
                                                {"notebook-3-0", "gpu-6/gpu-6-shared-0"}}));
  EXPECT_EQ(first_reasons(result), (Reasons{{"wide", "TopologyNotSatisfiable"}}));
}

TEST(Examples, Workloads) {
  EXPECT_EQ(running_pods(simulated({example("workloads")})),
            (Counts{{"pg-chat-0-pod", 1},
                    {"pg-chat-1-pod", 1},
                    {"pg-finetune-pytorchjob.kubeflow.org", 3},
                    {"pg-nightly-run-job", 1},
                    {"pg-notebook-pod", 1},
                    {"pg-sweep-job", 2}}));
  const Ran ran = run_muster({"validate", example("workloads"), "--strict"});
  EXPECT_EQ(ran.exit_code, kSuccess) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("note: 8 pods created for workloads, as their controllers would\n"));
  EXPECT_THAT(ran.out, HasSubstr("note: 1 object of kind batch/v1 Job not used: suspended\n"));
}

TEST(Examples, MinRuntime) {
  const Json now = simulated({example("min-runtime")});
  ASSERT_EQ(now["rounds"][0]["evictions"].size(), 1U);
  EXPECT_EQ(now["rounds"][0]["evictions"][0]["pod"], "default/old-0");
  const Json after = simulated({example("min-runtime"), "--cycles", "3"});
  EXPECT_EQ(running_pods(after), (Counts{{"pg-small-pod", 1}, {"solid", 1}}));
  const Ran later = run_muster(
      {"simulate", example("min-runtime"), "--cycles", "3", "--now", "2025-06-01T12:30:00Z", "-o", "json"});
  const Counts running = running_pods(Json::parse(later.out));
  EXPECT_EQ(running.count("pg-small-pod") + running.count("pg-large-pod"), 2U) << later.out;
}

TEST(Examples, Preemptibility) {
  const Json result = simulated({example("preemptibility")});
  EXPECT_EQ(running_pods(result), (Counts{{"pg-long-run-job", 2}, {"pg-urgent-job", 2}}));
  EXPECT_EQ(first_reasons(result), (Reasons{{"pg-one-too-many-job", "NonPreemptibleOverQuota"}}));
}

TEST(Examples, Broken) {
  const Ran ran = run_muster({"validate", example("broken"), "-o", "json"});
  EXPECT_EQ(ran.exit_code, kNo);
  const Json found = Json::parse(ran.out);
  EXPECT_THAT(places(found["errors"]),
              testing::ElementsAre("Pod default/train-1 spec.containers[0].resources.requests.memory"));
  EXPECT_THAT(
      places(found["warnings"]),
      testing::UnorderedElementsAre(
          "Queue research spec.reclaimMinRuntime", "Queue vision spec.parentQueue",
          "Queue research spec.resources.gpu.limit", "Queue vision spec.resources.gpu.limit",
          "Queue research spec.resources.gpu.quota", "PodGroup default/train spec.queue",
          "Pod default/train-2 metadata.annotations.pod-group-name", "Pod default/train-0 spec.containers"));
}

TEST(Examples, Time) {
  const Json result = simulated({example("time"), "--until", "idle"});
  Counts evicted;
  for (const Json& queue : result["queues"])
    for (const auto& [action, pods] : queue["evictions"].items()) evicted[action] += pods.get<int>();
  EXPECT_EQ(evicted,
            (Counts{{"drain", 5}, {"preempt", 6}, {"reclaim", 6}, {"requeue", 1}, {"stalegangeviction", 1}}));
  EXPECT_EQ(result["to"], "2025-06-01T15:30:00Z");
  for (const Json& job : result["jobs"]) EXPECT_FALSE(job["finished"].is_null()) << job["name"];
}

}  // namespace
}  // namespace muster::cli
