// The contract of `muster simulate --cycles -o json`: fields, their order, and equal runs giving equal text.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"
#include "cli/report/report.hpp"

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
  FilesForTest files_;
};

TEST_F(JsonOutput, HasTheFieldsOfTheContractInOrder) {
  const Json json = Json::parse(simulated({"--cycles", "2"}));
  EXPECT_THAT(keys(json), ElementsAre("rounds", "pods", "jobs"));
  ASSERT_EQ(json["rounds"].size(), 2U);
  const Json& round = json["rounds"][0];
  EXPECT_THAT(keys(round), ElementsAre("cycle", "binds", "evictions", "pipelined", "patches"));
  EXPECT_EQ(round["cycle"], 1);
  EXPECT_EQ(
      round["binds"].dump(),
      R"([{"pod":"default/runs-0","node":"n1","gpuGroups":[]},{"pod":"default/runs-1","node":"n1","gpuGroups":[]}])");
  EXPECT_EQ(round["evictions"], Json::array());
  EXPECT_EQ(round["pipelined"], Json::array());
  EXPECT_EQ(json["rounds"][1]["binds"], Json::array());
}

TEST_F(JsonOutput, TellsPodsAndJobsByName) {
  const Json json = Json::parse(simulated());
  EXPECT_EQ(json["pods"].dump(),
            R"([{"name":"default/huge-0","podGroup":"huge","phase":"Pending"},)"
            R"({"name":"default/runs-0","podGroup":"runs","phase":"Running","node":"n1"},)"
            R"({"name":"default/runs-1","podGroup":"runs","phase":"Running","node":"n1"},)"
            R"({"name":"default/waits-0","podGroup":"waits","phase":"Pending"}])");
  ASSERT_EQ(json["jobs"].size(), 3U);
  EXPECT_EQ(json["jobs"][0]["reasons"][0]["reason"], "RequestLargerThanAnyNode");
  EXPECT_EQ(json["jobs"][1].dump(), R"({"name":"default/runs","queue":"q","status":"Running","reasons":[]})");
  const Json& waits = json["jobs"][2];
  EXPECT_EQ(waits["status"], "Pending");
  EXPECT_THAT(keys(waits["reasons"][0]), ElementsAre("reason", "message", "details"));
  EXPECT_EQ(waits["reasons"][0]["message"],
            "no room for pod waits-0: 1 node: not enough GPUs (1 wanted, none free); 2 GPUs: 2 held by queue "
            "q, none free");
}

TEST_F(JsonOutput, EqualRunsGiveEqualText) {
  EXPECT_EQ(simulated({"--cycles", "3", "--interval", "1m"}),
            simulated({"--cycles", "3", "--interval", "1m"}));
}

TEST_F(JsonOutput, TimingComesOnlyWhenAskedFor) {
  const Json json = Json::parse(simulated({"--timing"}));
  EXPECT_THAT(keys(json), ElementsAre("rounds", "pods", "jobs", "timing"));
  EXPECT_THAT(keys(json["timing"]), ElementsAre("readMs", "openMs", "actionsMs", "scenariosSimulated",
                                                "nodesTried", "cpuMs", "peakRssMb"));
  EXPECT_THAT(keys(json["rounds"][0]["timing"]),
              ElementsAre("openMs", "actionsMs", "scenariosSimulated", "nodesTried"));
  EXPECT_THAT(keys(json["timing"]["actionsMs"]), ElementsAre("allocate"));
}

}  // namespace
}  // namespace muster::cli
