// The formats of snapshots, and the redaction of names.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/snapshot/snapshot_file.hpp"
#include "kube/cluster_reader.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

ordered_json snapshot_for_test() {
  return ordered_json::parse(R"({"apiVersion": "v1", "kind": "List", "items": [
    {"kind": "Secret", "metadata": {"name": "hidden"}, "data": {"key": "abc"}},
    {"kind": "ConfigMap", "metadata": {"name": "conf"}, "data": {"key": "abc"}},
    {"kind": "Pod", "metadata": {"name": "train-0", "namespace": "kai-scheduler", "annotations": {
       "pod-group-name": "train", "example.com/owner": "ann", "kubectl.kubernetes.io/last-applied-configuration": "x"}},
     "spec": {"schedulerName": "kai-scheduler", "containers": [{"command": ["abc"], "env": [
       {"name": "A", "value": "abc"}, {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "conf"}}}]}]}},
    {"kind": "PodGroup", "metadata": {"name": "train", "namespace": "kai-scheduler"}, "status": {"phase": "train"}}]})");
}

TEST(Snapshot, HoldsNoSecrets) {
  ordered_json list = snapshot_for_test();
  kube::strip(list);
  EXPECT_EQ(list["items"].size(), 3U);
  EXPECT_THAT(list.dump(), Not(HasSubstr("abc")));
  EXPECT_THAT(list.dump(), Not(HasSubstr("last-applied")));
  EXPECT_THAT(list.dump(), HasSubstr("configMapKeyRef"));
}

TEST(Snapshot, NamesBecomeConsistentHashes) {
  ordered_json list = snapshot_for_test();
  kube::strip(list);
  redact(list);
  const ordered_json& pod = list["items"][1];
  EXPECT_EQ(pod["metadata"]["annotations"]["pod-group-name"], list["items"][2]["metadata"]["name"]);
  EXPECT_EQ(pod["spec"]["containers"][0]["env"][1]["valueFrom"]["configMapKeyRef"]["name"],
            list["items"][0]["metadata"]["name"]);
  EXPECT_EQ(pod["spec"]["schedulerName"], "kai-scheduler");
  EXPECT_EQ(list["items"][2]["status"]["phase"], "train");
  EXPECT_THAT(list.dump(), Not(HasSubstr("train-0")));
  EXPECT_THAT(list.dump(), Not(HasSubstr("example.com/owner")));
}

TEST(Snapshot, TheSchedulerStateIsRedacted) {
  ordered_json list = ordered_json::parse(R"({"items": [
    {"kind": "PodGroup", "metadata": {"name": "proportion", "namespace": "team"}},
    {"kind": "Pod", "metadata": {"name": "proportion-0", "namespace": "team"}},
    {"kind": "SchedulerState", "decided": {"binds": []},
     "refusedBinds": [{"job": "team/proportion", "pod": "proportion-0", "why": "proportion-0 is not welcome", "until": "x"}],
     "protectedJobs": [{"job": "team/proportion", "rule": "disruption budget", "until": "x"}],
     "config": {"tiers": [{"plugins": [{"name": "proportion"}]}], "schedulerParams": {"partitionLabelValue": "team"}}}]})");
  redact(list);
  const ordered_json& state = list["items"][2];
  const std::string ns = list["items"][0]["metadata"]["namespace"],
                    job = list["items"][0]["metadata"]["name"];
  EXPECT_EQ(state["refusedBinds"][0]["job"], ns + "/" + job);
  EXPECT_EQ(state["protectedJobs"][0]["job"], ns + "/" + job);
  EXPECT_EQ(state["config"]["tiers"][0]["plugins"][0]["name"], "proportion");
  EXPECT_EQ(state["config"]["schedulerParams"]["partitionLabelValue"], ns);
  EXPECT_THAT(state.dump(), Not(HasSubstr("welcome")));
}

TEST(Snapshot, TheFileNameDeterminesTheFormat) {
  const ordered_json list =
      ordered_json::parse(R"({"kind": "List", "items": [{"a": {"b": [1, "x: y"], "c": {}}}, "z"]})");
  EXPECT_EQ(written_as(list, "x.yaml"),
            "\"kind\": \"List\"\n\"items\":\n  -\n    \"a\":\n      \"b\":\n        - 1\n        - \"x: "
            "y\"\n      \"c\": {}\n  - \"z\"\n");
  EXPECT_TRUE(written_as(list, "x.json.zst").starts_with("\x28\xb5\x2f\xfd"));
  EXPECT_EQ(ordered_json::parse(written_as(list, "x.json")), list);
}

}  // namespace
}  // namespace muster::cli
