// Objects with a generateName get names like those of the API server, the same in every run.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::MatchesRegex;

std::string one_node() { return node_yaml("n1", 8) + queue_yaml("team", "", kUnbounded); }

std::string named_pod(const std::string& metadata, const std::string& requests = "{cpu: \"1\"}") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {" + metadata +
         ", labels: {kai.scheduler/queue: team}}, spec: {schedulerName: kai-scheduler, containers: [{name: "
         "m, "
         "resources: {requests: " +
         requests + "}}]}}\n";
}

class GeneratedNamesInFiles : public testing::Test {
 protected:
  Json simulated(const std::string& text) {
    const Ran ran =
        run_muster({"simulate", files_.add("c.yaml", text), "--now", "2025-06-01T12:00:00Z", "-o", "json"});
    EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
    said_ = files_.without_root(ran.err);
    return ran.exit_code == kSuccess ? Json::parse(ran.out) : Json();
  }
  std::set<std::string> pods_of(const std::string& text) {
    std::set<std::string> names;
    const Json result = simulated(text);
    for (const Json& each : result["pods"]) {
      names.insert(each["name"]);
      EXPECT_EQ(each.value("node", ""), "n1");
    }
    return names;
  }
  TemporaryFiles files_;
  std::string said_;
};

TEST_F(GeneratedNamesInFiles, PodsAreNamedAsTheApiServerWould) {
  const std::string text = one_node() + named_pod("generateName: train-") +
                           named_pod("generateName: train-") +
                           named_pod("generateName: train-, namespace: other") + named_pod("name: train-0");
  const std::set<std::string> names = pods_of(text);
  EXPECT_EQ(names.size(), 4U);
  EXPECT_TRUE(names.contains("default/train-0"));
  EXPECT_EQ(said_, "note: 4 PodGroups created, as the pod grouper would\n");
  EXPECT_THAT(names, Each(MatchesRegex("(default|other)/train-(0|[b-df-hj-np-tv-xz2-9]{5})")));
  EXPECT_EQ(pods_of(text), names);
}

TEST_F(GeneratedNamesInFiles, ANameThatIsTakenIsNotGiven) {
  std::string first;
  for (const std::string& name : pods_of(one_node() + named_pod("generateName: train-"))) first = name;
  const std::string taken = first.substr(first.find('/') + 1);
  const auto both = pods_of(one_node() + named_pod("name: " + taken) + named_pod("generateName: train-"));
  EXPECT_EQ(both.size(), 2U);
  EXPECT_TRUE(both.contains(first));
}

TEST_F(GeneratedNamesInFiles, ALongPrefixIsCutAsTheApiServerDoes) {
  const auto names = pods_of(one_node() + named_pod("generateName: " + std::string(80, 'a')));
  EXPECT_THAT(names, Each(MatchesRegex("default/a{58}[^a]{5}")));
}

TEST_F(GeneratedNamesInFiles, WorkloadsAndPodGroupsAreNamed) {
  const Json result = simulated(
      one_node() +
      "---\n{apiVersion: batch/v1, kind: Job, metadata: {generateName: run-, labels: {kai.scheduler/queue: "
      "team}}, spec: {parallelism: 2, template: {spec: {schedulerName: kai-scheduler, containers: [{name: "
      "m}]}}}}\n"
      "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {generateName: hand-}, spec: "
      "{queue: team, minMember: 1}}\n");
  std::vector<std::string> jobs;
  for (const Json& job : result["jobs"]) jobs.push_back(job["name"]);
  EXPECT_THAT(jobs, testing::UnorderedElementsAre(MatchesRegex("default/hand-[^-]{5}"),
                                                  MatchesRegex("default/pg-run-[^-]{5}-job")));
  EXPECT_EQ(result["pods"].size(), 2U);
}

// A LimitRange after the pods causes them to be read again. They must keep their names.
TEST_F(GeneratedNamesInFiles, StayTheSameWhenFilesAreReadAgain) {
  const std::string late =
      "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: r}, spec: {limits: "
      "[{type: Container, defaultRequest: {nvidia.com/gpu: 8}}]}}\n";
  const Json result =
      simulated(one_node() + named_pod("generateName: a-") + named_pod("generateName: a-") + late);
  EXPECT_EQ(result["pods"].size(), 2U);
  EXPECT_EQ(result["rounds"][0]["binds"].size(), 1U);
}

TEST_F(GeneratedNamesInFiles, MessagesShowTheNameAndTheLine) {
  const Ran ran = run_muster(
      {"validate", files_.add("c.yaml", one_node() + named_pod("generateName: train-", "{memory: 4Gx}"))});
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_THAT(files_.without_root(ran.out),
              AllOf(HasSubstr("error: c.yaml:6: Pod default/train-"), HasSubstr("is not a quantity\n")));
}

TEST_F(GeneratedNamesInFiles, WithoutEitherNameItIsAnError) {
  const Ran ran = run_muster({"validate", files_.add("c.yaml", one_node() + named_pod("uid: u"))});
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_THAT(ran.out, HasSubstr("metadata.name: is missing"));
}

}  // namespace
}  // namespace muster::cli
