// The contract of `muster simulate --cycles -o json`: the fields, their order, and equal text for equal runs.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"
#include "report/report.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

class JsonOutput : public testing::Test {
 protected:
  std::string simulated(std::vector<std::string> more = {}) {
    const std::string cluster =
        node_yaml("n1", 2) + queue_yaml("q", "", "quota: 2, limit: -1, overQuotaWeight: 1") +
        job_yaml("runs", "q", 2, 2, 1) + job_yaml("waits", "q", 1, 1, 1) + job_yaml("huge", "q", 1, 1, 5);
    more.insert(more.begin(),
                {"simulate", files_.add("c.yaml", cluster), "--config",
                 files_.add("config.yml", kAllocateOnly), "--now", "2025-06-01T12:00:00Z", "-o", "json"});
    const Ran ran = run_muster(more);
    EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
    return ran.out;
  }
  static std::vector<std::string> keys(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) keys.push_back(item.key());
    return keys;
  }
  TemporaryFiles files_;
};

TEST_F(JsonOutput, HasTheFieldsOfTheContractInOrder) {
  const Json json = Json::parse(simulated({"--cycles", "2"}));
  EXPECT_THAT(keys(json), ElementsAre("schema", "now", "intervalSeconds", "rounds", "pods", "jobs", "queues",
                                      "nodes", "totals"));
  EXPECT_EQ(json["schema"], "muster.dev/simulate/v1");
  ASSERT_EQ(json["rounds"].size(), 2U);
  const Json& round = json["rounds"][0];
  EXPECT_THAT(keys(round), ElementsAre("cycle", "binds", "evictions", "pipelined", "patches", "now"));
  EXPECT_EQ(round["cycle"], 1);
  EXPECT_EQ(
      round["binds"].dump(),
      R"([{"pod":"default/runs-0","node":"n1","gpuGroups":[]},{"pod":"default/runs-1","node":"n1","gpuGroups":[]}])");
  EXPECT_EQ(round["evictions"], Json::array());
  EXPECT_EQ(round["pipelined"], Json::array());
  EXPECT_EQ(json["rounds"][1]["binds"], Json::array());
}

TEST_F(JsonOutput, ListsPodsAndJobsByName) {
  const Json json = Json::parse(simulated());
  EXPECT_EQ(json["pods"].dump(),
            R"([{"name":"default/huge-0","podGroup":"huge","phase":"Pending"},)"
            R"({"name":"default/runs-0","podGroup":"runs","phase":"Running","node":"n1"},)"
            R"({"name":"default/runs-1","podGroup":"runs","phase":"Running","node":"n1"},)"
            R"({"name":"default/waits-0","podGroup":"waits","phase":"Pending"}])");
  ASSERT_EQ(json["jobs"].size(), 3U);
  EXPECT_EQ(json["jobs"][0]["reasons"][0]["reason"], "RequestLargerThanAnyNode");
  EXPECT_EQ(json["jobs"][1].dump(),
            R"({"name":"default/runs","queue":"q","status":"Running","reasons":[],"priority":50,)"
            R"("prioritySource":"default","preemptibility":"preemptible","preemptibilitySource":"priority",)"
            R"("created":"2025-06-01T12:00:00Z","pods":2,"podsRunning":2,"minPods":2,"gpus":2.0,)"
            R"("started":"2025-06-01T12:00:00Z"})");
  const Json& waits = json["jobs"][2];
  EXPECT_EQ(waits["status"], "Pending");
  EXPECT_THAT(keys(waits["reasons"][0]), ElementsAre("reason", "message", "details"));
  EXPECT_EQ(waits["reasons"][0]["message"],
            "no room for pod waits-0: 1 node: not enough GPUs (1 requested, none free); 2 GPUs: 2 in use by "
            "queue q, none free");
}

TEST_F(JsonOutput, ListsQueuesNodesAndTotals) {
  const Json json = Json::parse(simulated());
  ASSERT_EQ(json["queues"].size(), 1U);
  const Json& queue = json["queues"][0];
  EXPECT_THAT(keys(queue), ElementsAre("name", "displayName", "parent", "priority", "resources"));
  EXPECT_EQ(queue["resources"]["gpu"].dump(),
            R"({"quota":2.0,"limit":-1.0,"overQuotaWeight":1.0,"inUse":2.0,"fairShare":2.0,"wanted":8.0})");
  EXPECT_EQ(json["nodes"].dump(), R"([{"name":"n1","gpus":2.0,"gpusFree":0.0,"sharedGpus":[],)"
                                  R"("cpu":{"allocatable":64000,"free":62000},)"
                                  R"("memory":{"allocatable":549755813888,"free":547608330240},)"
                                  R"("pods":2,"schedulable":true,"conditions":[]}])");
  EXPECT_EQ(json["totals"].dump(),
            R"({"cyclesAsked":1,"cyclesRun":1,"podsBound":2,"podsEvicted":0,"jobs":3,"jobsWaiting":2,)"
            R"("podsWaiting":2,"nodes":1,"gpus":2.0,"gpusInUse":2.0})");
}

TEST_F(JsonOutput, NamesTheSourcesOfPriorityAndPreemptibility) {
  const auto job = [&](const std::string& more, const std::string& objects) {
    const std::string group =
        "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: j}, spec: {queue: q" +
        more + "}}\n";
    return Json::parse(simulated({files_.add("more.yaml", group + objects)}))["jobs"][1];
  };
  const auto priority_class = [](const std::string& name, const std::string& more) {
    return "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name + "}, " +
           more + "}\n";
  };
  const Json named = job(", priorityClassName: high", priority_class("high", "value: 200"));
  EXPECT_EQ(named["name"], "default/j");
  EXPECT_EQ(named["priority"], 200);
  EXPECT_EQ(named["priorityClassName"], "high");
  EXPECT_EQ(named["prioritySource"], "priorityClassName");
  EXPECT_EQ(named["preemptibility"], "non-preemptible");
  EXPECT_EQ(named["preemptibilitySource"], "priority");
  const Json global = job("", priority_class("usual", "value: 70, globalDefault: true"));
  EXPECT_EQ(global["priority"], 70);
  EXPECT_EQ(global["prioritySource"], "globalDefault");
  EXPECT_FALSE(global.contains("priorityClassName"));
  const Json spec = job(", preemptibility: semi-preemptible", "");
  EXPECT_EQ(spec["prioritySource"], "default");
  EXPECT_EQ(spec["preemptibility"], "semi-preemptible");
  EXPECT_EQ(spec["preemptibilitySource"], "spec");
}

TEST_F(JsonOutput, ShowsOnlyWhatPassesTheFilters) {
  EXPECT_FALSE(Json::parse(simulated()).contains("filters"));
  const Json json = Json::parse(simulated({"--state", "waiting", "--sort", "name", "-n", "default"}));
  EXPECT_EQ(json["filters"].dump(),
            R"({"namespace":"default","state":"waiting","sort":"name","jobsShown":2})");
  ASSERT_EQ(json["jobs"].size(), 2U);
  EXPECT_EQ(json["jobs"][0]["name"], "default/huge");
  ASSERT_EQ(json["pods"].size(), 2U);
  EXPECT_EQ(json["pods"][1]["name"], "default/waits-0");
  EXPECT_EQ(json["totals"]["jobs"], 3) << "totals count all jobs";
  EXPECT_EQ(json["rounds"][0]["binds"].size(), 2U) << "all decisions are shown";
}

// Rounds are written one by one, but the result is formatted like a document that is written at once.
TEST_F(JsonOutput, IsIndentedAsOnePiece) {
  const std::string text = simulated({"--cycles", "3"});
  EXPECT_EQ(text, Json::parse(text).dump(1) + "\n");
}

TEST_F(JsonOutput, EqualRunsGiveEqualText) {
  EXPECT_EQ(simulated({"--cycles", "3", "--interval", "1m"}),
            simulated({"--cycles", "3", "--interval", "1m"}));
}

TEST_F(JsonOutput, HasTimingOnlyIfRequested) {
  const Json json = Json::parse(simulated({"--timing"}));
  EXPECT_EQ(keys(json).back(), "timing");
  EXPECT_THAT(keys(json["timing"]), ElementsAre("readMs", "openMs", "actionsMs", "scenariosSimulated",
                                                "nodesTried", "cpuMs", "peakRssMb"));
  EXPECT_THAT(keys(json["rounds"][0]["timing"]),
              ElementsAre("openMs", "actionsMs", "scenariosSimulated", "nodesTried"));
  EXPECT_THAT(keys(json["timing"]["actionsMs"]), ElementsAre("allocate"));
}

}  // namespace
}  // namespace muster::cli
