// Which configuration is used, and the messages about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A snapshot in KAI's format, with a node pool that only its parameters name.
std::string snapshot_json(const std::string& actions, const std::string& more = "") {
  return R"({"config":{"actions":")" + actions +
         R"(","tiers":[{"plugins":[{"name":"predicates"},{"name":"proportion"},{"name":"snapshot"},)"
         R"({"name":"sg-multinodegang"}]}])" +
         more +
         R"(},"schedulerParams":{"schedulerName":"mine","partitionParams":{"NodePoolLabelKey":"pool",)"
         R"("NodePoolLabelValue":"a"},"useSchedulingSignatures":true,"fullHierarchyFairness":true,)"
         R"("globalDefaultStalenessGracePeriod":60000000000},"rawObjects":{)"
         R"("nodes":[{"metadata":{"name":"n1","labels":{"pool":"a"}},"status":{"allocatable":{"cpu":"8",)"
         R"("memory":"8Gi","nvidia.com/gpu":"8","pods":"110"}}},{"metadata":{"name":"n2"},"status":)"
         R"({"allocatable":{"cpu":"8","memory":"8Gi","nvidia.com/gpu":"8","pods":"110"}}}],)"
         R"("queues":[{"metadata":{"name":"q","labels":{"pool":"a"}},"spec":{"resources":{"gpu":{"quota":-1,)"
         R"("limit":-1},"cpu":{"quota":-1,"limit":-1},"memory":{"quota":-1,"limit":-1}}}}],)"
         R"("podGroups":[{"metadata":{"name":"j","namespace":"d","labels":{"pool":"a"}},"spec":{"queue":"q",)"
         R"("minMember":1}}],"pods":[{"metadata":{"name":"p","namespace":"d","annotations":{"pod-group-name":)"
         R"("j"}},"spec":{"schedulerName":"mine","containers":[{"name":"c","resources":{"requests":)"
         R"({"nvidia.com/gpu":"1"}}}]}}]},"discovery":{"serverVersion":null,"resources":null}})"
         "\n";
}

class ConfigurationOfFiles : public testing::Test {
 protected:
  Ran simulated(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    for (const char* more : {"--now", "2025-06-01T12:00:00Z", "-o", "json"}) arguments.push_back(more);
    Ran ran = run_muster(arguments);
    ran.err = files_.without_root(ran.err);
    return ran;
  }
  static std::size_t binds(const Ran& ran) {
    return nlohmann::json::parse(ran.out).at("rounds").at(0).at("binds").size();
  }
  TemporaryFiles files_;
};

TEST_F(ConfigurationOfFiles, IsThatOfTheSnapshot) {
  const Ran ran = simulated({files_.add("s.json", snapshot_json("allocate"))});
  EXPECT_EQ(ran.err,
            "note: using the configuration in s.json; --config overrides it\n"
            "note: 1 Node left out: label pool is not \"a\" (partitionLabelValue in the configuration)\n");
  ASSERT_EQ(ran.exit_code, kSuccess);
  EXPECT_EQ(binds(ran), 1u) << "in pool a, for scheduler mine";
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\"n1\""), Not(HasSubstr("\"n2\""))));
}

TEST_F(ConfigurationOfFiles, AppliesToFilesBeforeTheSnapshot) {
  const std::string node =
      "{apiVersion: v1, kind: Node, metadata: {name: n0, labels: {pool: a}}, status: "
      "{allocatable: {nvidia.com/gpu: '8', pods: '9'}}}\n";
  const Ran ran = simulated({files_.add("a.yaml", node), files_.add("s.json", snapshot_json("allocate"))});
  EXPECT_EQ(binds(ran), 1u);
}

TEST_F(ConfigurationOfFiles, IsReplacedByConfig) {
  const std::string snapshot = files_.add("s.json", snapshot_json("allocate"));
  const Ran ran = simulated({snapshot, "--config", files_.add("c.yaml", "actions: stalegangeviction\n")});
  EXPECT_EQ(ran.err, "note: the configuration in s.json is not used: --config replaces it with c.yaml\n");
  ASSERT_EQ(ran.exit_code, kSuccess);
  EXPECT_EQ(binds(ran), 0u);
}

// A snapshot in the format of `muster snapshot`. Its pod is for a scheduler with another name.
std::string our_snapshot(const std::string& more_state) {
  return R"({"apiVersion": "v1", "kind": "List", "schema": "muster.dev/snapshot/v1", "items": [)"
         R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable":)"
         R"({"cpu": "8", "memory": "8Gi", "nvidia.com/gpu": "8", "pods": "110"}}},)"
         R"({"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "q"}, "spec":)"
         R"({"resources": {"gpu": {"quota": -1, "limit": -1}, "cpu": {"quota": -1, "limit": -1},)"
         R"("memory": {"quota": -1, "limit": -1}}}},)"
         R"({"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": "j",)"
         R"("namespace": "d"}, "spec": {"queue": "q", "minMember": 1}},)"
         R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d", "annotations":)"
         R"({"pod-group-name": "j"}}, "spec": {"schedulerName": "mine", "containers": [{"name": "c",)"
         R"("resources": {"requests": {"nvidia.com/gpu": "1"}}}]}},)"
         R"({"apiVersion": "muster.dev/v1", "kind": "SchedulerState", "at": "2025-06-01T12:00:00Z")" +
         more_state + "}]}\n";
}
constexpr const char* kConfigOfMine = R"(, "config": {"schedulerParams": {"schedulerName": "mine"}})";

TEST_F(ConfigurationOfFiles, IsReadFromMusterSnapshots) {
  const std::string snapshot =
      files_.add("s.json", our_snapshot(R"(, "config": {"actions": ["stalegangeviction"]})"));
  const std::string without = files_.add("none.json", our_snapshot(""));
  const Ran ran = simulated({snapshot});
  EXPECT_EQ(ran.err, "note: using the configuration in s.json; --config overrides it\n");
  EXPECT_EQ(binds(ran), 0u);
  EXPECT_EQ(binds(simulated({without})), 1u);
  EXPECT_EQ(binds(simulated({snapshot, "--config", files_.add("c.yaml", "")})), 1u);
  EXPECT_EQ(binds(simulated({without, "--config", snapshot})), 0u);
}

TEST_F(ConfigurationOfFiles, RefusedBindsInASnapshotDelayJobs) {
  const auto refused = [](const char* until) {
    return std::string(kConfigOfMine) +
           R"(, "refusedBinds": [{"job": "d/j", "pod": "p", "why": "node n1 is full", "until": ")" + until +
           "\"}]";
  };
  const Ran ran = simulated({files_.add("s.json", our_snapshot(refused("2025-06-01T12:00:10Z")))});
  EXPECT_EQ(binds(ran), 0u);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("BindRefused"), HasSubstr("node n1 is full")));
  EXPECT_EQ(binds(simulated({files_.add("later.json", our_snapshot(refused("2025-06-01T12:00:00Z")))})), 1u);
}

TEST_F(ConfigurationOfFiles, OfSeveralSnapshotsIsThatOfTheFirst) {
  const std::string a = files_.add("a.json", snapshot_json("allocate"));
  const std::string same = files_.add("same.json", snapshot_json("allocate"));
  const std::string other = files_.add("z.json", snapshot_json("stalegangeviction"));
  EXPECT_THAT(simulated({a, same}).err, Not(HasSubstr("differs")));
  const Ran ran = simulated({a, other});
  EXPECT_THAT(ran.err,
              HasSubstr("warning: z.json: the configuration in this snapshot differs from that of a.json, "
                        "which is used\n"));
  EXPECT_EQ(binds(ran), 1u);
}

TEST_F(ConfigurationOfFiles, IsReadFromAPipe) {
  const int before = ::dup(STDIN_FILENO);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string text = snapshot_json("allocate");
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  ::dup2(ends[0], STDIN_FILENO);
  const Ran ran = simulated({"-"});
  ::dup2(before, STDIN_FILENO);
  EXPECT_THAT(ran.err, HasSubstr("using the configuration in standard input"));
  EXPECT_EQ(binds(ran), 1u);
}

TEST_F(ConfigurationOfFiles, ManifestsThatMentionSnapshotsHaveNone) {
  const std::string text = queue_yaml("q", "", kUnbounded) + node_yaml("n", 1) + job_yaml("j", "q", 1, 1, 1);
  const Ran ran = simulated({files_.add("c.yaml", text + "# rawObjects\n")});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(binds(ran), 1u);
}

TEST_F(ConfigurationOfFiles, MayBeAShard) {
  const std::string cluster =
      files_.add("c.yaml", queue_yaml("q", "", kUnbounded) + node_yaml("n", 1) + job_yaml("j", "q", 1, 1, 1));
  const std::string shard =
      files_.add("shard.yaml",
                 "apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {name: s}\nspec:\n"
                 "  placementStrategy: {gpu: spread}\n  actions: {allocate: {enabled: false}}\n");
  const Ran ran = simulated({cluster, "--config", shard});
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(binds(ran), 0u);
}

TEST_F(ConfigurationOfFiles, WarnsAboutMissingPlugins) {
  const std::string cluster = files_.add("c.yaml", node_yaml("n", 1));
  const std::string config = files_.add("k.yaml", "tiers:\n- plugins: []\n");
  const Ran ran = simulated({cluster, "--config", config});
  EXPECT_EQ(ran.exit_code, kSuccess);
  for (const char* line :
       {"warning: k.yaml:1: tiers: without plugin \"predicates\", pods go to any node with room",
        "warning: k.yaml:1: tiers: without plugin \"proportion\", queues have no shares",
        "warning: k.yaml:1: tiers: without a scenario generator (plugin sg-nodelocalgreedy or "
        "sg-multinodegang), these actions evict nothing: consolidation, requeue, reclaim, preempt\n"})
    EXPECT_THAT(ran.err, HasSubstr(line));
  EXPECT_EQ(simulated({cluster, "--config", config, "--strict"}).exit_code, kNo);
  EXPECT_EQ(run_muster({"validate", "--config", config, "--strict"}).exit_code, kNo);
  EXPECT_EQ(run_muster({"validate", "--config", files_.add("ok.yaml", kAllocateOnly), "--strict"}).exit_code,
            kSuccess);
}

TEST_F(ConfigurationOfFiles, NotesThatPastUsageComesFromAFile) {
  const std::string cluster = files_.add(
      "c.yaml", node_yaml("n1", 1) + queue_yaml("q", "", kUnbounded) + job_yaml("j", "q", 1, 1, 1));
  const std::string config =
      files_.add("k.yaml", std::string(kAllocateOnly) + "usageDBConfig: {clientType: embedded}\n");
  const std::string note =
      "note: k.yaml:5: usageDBConfig: simulate reads the past usage of queues only from --usage";
  EXPECT_THAT(simulated({cluster, "--config", config}).err, HasSubstr(note));
  EXPECT_THAT(files_.without_root(run_muster({"validate", "--config", config}).out), HasSubstr(note));
  const std::string usage = files_.add("u.yaml", "q: {gpu: 0.5}\n");
  EXPECT_EQ(simulated({cluster, "--config", config, "--usage", usage}).err, "");
}

}  // namespace
}  // namespace muster::cli
