// The whole text of small runs, and how long lists are shortened.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/command_for_test.hpp"
#include "model/objects.hpp"
#include "report/report.hpp"

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class TextOutput : public testing::Test {
 protected:
  std::string simulated(const std::string& cluster, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"simulate", files_.add("cluster.yaml", cluster), "--config",
                               files_.add("config.yml", kAllocateOnly), "--now", "2025-06-01T12:00:00Z"});
    const Ran ran = run_muster(more);
    EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
    EXPECT_THAT(ran.err, Not(HasSubstr("error")));
    return ran.out;
  }
  TemporaryFiles files_;
};

TEST_F(TextOutput, ReportsDecisionsUseAndPendingJobs) {
  const std::string cluster = node_yaml("n1", 4) + node_yaml("n2", 4) +
                              queue_yaml("lab", "", "quota: 8, limit: -1, overQuotaWeight: 1") +
                              queue_yaml("vision", "lab", "quota: 4, limit: 8, overQuotaWeight: 1") +
                              job_yaml("train", "vision", 4, 6, 1) + job_yaml("big", "vision", 1, 1, 3) +
                              job_yaml("lost", "nowhere", 1, 1, 1);
  EXPECT_EQ(simulated(cluster, {"--cycles", "3"}), R"(Cycle 1, 2025-06-01T12:00:00Z
  bound  big     1 pod  big-0 → n1
  bound  train  5 pods  train-0 … train-4 → n1 (1), n2 (4)

Cycles 2 to 3, until 2025-06-01T12:00:00Z
  nothing to bind or evict

Queues
            GPUs
  queue     quota  fair share  in use  requested  limit
  lab           8           8       8          9      ∞
    vision      4           8       8          9      8

Nodes
  node  GPUs  free  pods
  n1       4     0     2
  n2       4     0     4

Jobs
  job    queue    priority  age  GPUs  pods  min  status   reason             nodes
  big    vision         50   0s     3   1/1    1  Running                     n1
  train  vision         50   0s     6   5/6    4  Running  OverLimit          n1 (1), n2 (4)
  lost   nowhere        50   0s     1   0/1    1  Pending  QueueDoesNotExist

Waiting jobs
  lost  QueueDoesNotExist
    queue "nowhere" or one of its parent queues does not exist
  train, 5 of 6 pods running  OverLimit
    queue vision has a limit of 8 GPUs: 8 in use, 1 more requested

3 cycles: 6 pods bound, 0 evicted; 2 pods of 2 jobs waiting; 8 of 8 GPUs in use on 2 nodes
)");
}

TEST_F(TextOutput, CombinesJobsWithTheSameReason) {
  std::string cluster = node_yaml("n1", 1) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1");
  for (int i = 0; i < 12; ++i) cluster += job_yaml("sweep-" + std::to_string(i), "q", 1, 1, 1);
  EXPECT_THAT(simulated(cluster),
              HasSubstr("  sweep-1 … sweep-11, 11 jobs with this reason  PodSchedulingErrors\n"
                        "    no room for pod sweep-1-0: 1 node: not enough GPUs (1 "
                        "requested, none free); 1 GPU: 1 in use by\n"
                        "    queue q, none free\n"));
}

TEST_F(TextOutput, TruncatesLongListsUnlessAllIsGiven) {
  std::string cluster = node_yaml("n1", 8) + queue_yaml("q", "", "quota: 8, limit: -1, overQuotaWeight: 1");
  for (int i = 0; i < 60; ++i) cluster += job_yaml("j" + std::to_string(i), "q", 1, 1, 1);
  EXPECT_THAT(simulated(cluster), HasSubstr("… and 20 more; --all shows them"));
  EXPECT_THAT(simulated(cluster, {"--all"}), Not(HasSubstr("more;")));
}

TEST_F(TextOutput, ShowsCpuAndMemoryIfTheyAreBounded) {
  const std::string plain =
      node_yaml("n1", 1) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1");
  const std::string used = plain + job_yaml("j", "q", 1, 1, 1);
  EXPECT_THAT(simulated(used), Not(HasSubstr("CPU cores")));
  EXPECT_THAT(simulated(used, {"--wide"}), HasSubstr("CPU cores"));
  EXPECT_THAT(simulated(plain, {"--wide"}), Not(HasSubstr("CPU cores"))) << "nothing but zeros";
  const std::string bounded = node_yaml("n1", 1) + R"(---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec: {resources: {cpu: {quota: 2500, limit: 4000}, memory: {quota: 1500, limit: -1}, gpu: {quota: 1, limit: 1}}}
)";
  EXPECT_THAT(simulated(bounded), HasSubstr(R"(
         GPUs          CPU cores     memory, GB
  queue  quota  limit  quota  limit  quota
  q          1      1    2.5      4    1.5
)"));
}

TEST_F(TextOutput, LeavesOutColumnsWithoutInformation) {
  const std::string idle =
      node_yaml("n1", 0) + queue_yaml("q", "", "quota: 0, limit: -1, overQuotaWeight: 1");
  EXPECT_THAT(simulated(idle), HasSubstr("Queues\n  queue\n  q\n\nNodes\n  node  pods\n  n1       0\n"));
  const std::string forbidden = queue_yaml("q", "", "quota: 0, limit: 0, overQuotaWeight: 1");
  EXPECT_THAT(simulated(forbidden), HasSubstr("         GPUs\n  queue  limit\n  q          0\n"))
      << "a limit of zero is informative";
}

TEST_F(TextOutput, ShowsTheDisplayNameBesideTheName) {
  const auto queue = [](const char* name, const char* shown) {
    return queue_yaml(name, "", "quota: 1, limit: -1, overQuotaWeight: 1",
                      std::string("displayName: ") + shown + ", ");
  };
  EXPECT_THAT(simulated(queue("a", "a") + queue("b", "Team B")), HasSubstr("                       GPUs\n"
                                                                           "  queue  display name  quota\n"
                                                                           "  a                        1\n"
                                                                           "  b      Team B            1\n"));
  EXPECT_THAT(simulated(queue("a", "a")), Not(HasSubstr("display name")));
}

TEST_F(TextOutput, GroupsThousandsInAllNumbers) {
  std::string cluster =
      node_yaml("n1", 4000) + queue_yaml("q", "", "quota: 12000.5, limit: 1234567, overQuotaWeight: 1");
  cluster += job_yaml("j", "q", 1, 1, 3000);
  const std::string text = simulated(cluster, {"--cycles", "1200"});
  EXPECT_THAT(text, HasSubstr("Cycles 2 to 1,200, until"));
  EXPECT_THAT(text, HasSubstr("  q      12,000.5       3,000   3,000      3,000  1,234,567\n"));
  EXPECT_THAT(text, HasSubstr("  n1    4,000  1,000     1\n"));
  EXPECT_THAT(text, HasSubstr("  j    q            50   0s  3,000   1/1    1  Running  n1\n"));
  EXPECT_THAT(
      text, HasSubstr("1,200 cycles: 1 pod bound, 0 evicted; 0 pods of 0 jobs waiting; 3,000 of 4,000 GPUs"));
}

std::string bare_node(const std::string& name, const std::string& more) {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + "}, " + more + "}\n";
}

TEST_F(TextOutput, ShowsWhyNodesTakeNoPods) {
  const std::string text = simulated(
      bare_node("n1", "spec: {unschedulable: true}") +
      bare_node(
          "n2",
          "status: {conditions: [{type: Ready, status: \"False\"}, {type: PIDPressure, status: \"True\"}]}") +
      bare_node("n10", "status: {}"));
  EXPECT_THAT(text, HasSubstr("Nodes\n"
                              "  node  pods  state\n"
                              "  n1       0  cordoned\n"
                              "  n2       0  not ready, PID pressure\n"
                              "  n10      0\n"));
}

TEST_F(TextOutput, ShowsTheFreePartsOfSharedGpus) {
  std::string cluster = node_yaml("n1", 2) + queue_yaml("q", "", "quota: 2, limit: -1, overQuotaWeight: 1");
  for (const char* name : {"a", "b"})
    cluster +=
        group_yaml(name, "q", 1) + "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
        "-0, annotations: {pod-group-name: " + name +
        ", gpu-fraction: \"0.6\"}}, spec: {schedulerName: kai-scheduler, containers: [{name: main}]}}\n";
  EXPECT_THAT(simulated(cluster), HasSubstr("  node  GPUs  free  shared GPUs             pods\n"
                                            "  n1       2     0  2, with 0.4 + 0.4 free     2\n"));
}

TEST_F(TextOutput, CombinesEqualNodesIfThereAreMany) {
  std::string cluster = queue_yaml("q", "", "quota: 8, limit: -1, overQuotaWeight: 1") +
                        job_yaml("whole", "q", 1, 1, 8) + job_yaml("parts", "q", 4, 4, 2);
  for (int i = 1; i <= 50; ++i) cluster += node_yaml("gpu-" + std::to_string(i), i == 7 ? 1 : 8);
  EXPECT_THAT(
      simulated(cluster),
      HasSubstr("Nodes\n"
                "  nodes                                         count  GPUs each  free each  total pods\n"
                "  gpu-1, gpu-10                                     2          8          0           5\n"
                "  gpu-2 … gpu-6, gpu-8, gpu-9, gpu-11 … gpu-50     47          8          8           0\n"
                "  gpu-7                                             1          1          1           0\n"));
  EXPECT_THAT(simulated(cluster, {"--all"}), HasSubstr("  gpu-50     8     8     0\n"));
}

TEST_F(TextOutput, CountsManyJobsAndListsPendingOnesFirst) {
  std::string cluster = node_yaml("n1", 8) + queue_yaml("a", "", "quota: 8, limit: -1, overQuotaWeight: 1") +
                        queue_yaml("b", "", "quota: 8, limit: -1, overQuotaWeight: 1");
  for (int i = 0; i < 30; ++i) cluster += job_yaml("a" + std::to_string(i), "a", 1, 1, 1);
  for (int i = 0; i < 30; ++i) cluster += job_yaml("b" + std::to_string(i), "b", 1, 1, 2);
  const std::string text = simulated(cluster);
  EXPECT_THAT(text, HasSubstr("Jobs\n"
                              "         Pending     Running\n"
                              "  queue  jobs  GPUs  jobs  GPUs\n"
                              "  a        26    26     4     4\n"
                              "  b        28    56     2     4\n"
                              "  all      54    82     6     8\n"
                              "\n"
                              "  job  queue  priority  age  GPUs  pods  min  status   reason\n"
                              "  a"));
  EXPECT_THAT(text, HasSubstr("… and 20 more; --all shows them"));
  const std::string jobs = text.substr(text.find("  job  queue"));
  EXPECT_THAT(jobs.substr(0, jobs.find("\n\n")), Not(HasSubstr("Running")));
}

class JobFilters : public TextOutput {
 protected:
  // The first column of the Jobs table, preceded by the line about the filter if there is one.
  std::string shown(std::vector<std::string> more) {
    const std::string text = simulated(cluster_, std::move(more));
    const std::size_t begin = text.find("\nJobs\n") + 6;
    std::istringstream lines(text.substr(begin, text.find("\n\n", begin) - begin));
    std::string names;
    for (std::string line; std::getline(lines, line);)
      names += (names.empty() ? "" : " ") +
               (line.starts_with("  only") ? line.substr(2) + ":" : line.substr(2, line.find(' ', 2) - 2));
    return names;
  }
  const std::string cluster_ =
      node_yaml("n1", 4) + queue_yaml("lab", "", "quota: 8, limit: -1, overQuotaWeight: 1") +
      queue_yaml("vision", "lab", "quota: 4, limit: 8, overQuotaWeight: 1") +
      queue_yaml("ads", "", "quota: 4, limit: 8, overQuotaWeight: 1") + job_yaml("v1", "vision", 1, 1, 1) +
      job_yaml("v2", "vision", 1, 1, 3) + job_yaml("a1", "ads", 1, 1, 5) + job_yaml("a2", "ads", 1, 3, 2);
};

TEST_F(JobFilters, PickByQueueNameAndState) {
  EXPECT_EQ(shown({}), "job a1 a2 v1 v2");
  EXPECT_EQ(shown({"--queue", "lab"}), "only queue lab and below: 2 of 4 jobs: job v1 v2");
  EXPECT_EQ(shown({"--queue", "vision", "-n", "default"}),
            "only namespace default, queue vision and below: 2 of 4 jobs: job v1 v2");
  EXPECT_EQ(shown({"--job", "a1"}), "only job a1: 1 of 4 jobs: job a1");
  EXPECT_EQ(shown({"--job", "default/a1"}), "only job default/a1: 1 of 4 jobs: job a1");
  EXPECT_EQ(shown({"--state", "no-pods"}), "only state no-pods: 0 of 4 jobs:");
}

TEST_F(JobFilters, WaitingMeansThatSomePodsArePending) {
  const std::string text = simulated(cluster_, {"--state", "waiting", "--queue", "ads"});
  EXPECT_THAT(text, HasSubstr("only queue ads and below, state waiting: 2 of 4 jobs\n"));
  EXPECT_THAT(text, HasSubstr("  a1   ads"));
  EXPECT_THAT(text, HasSubstr("Waiting jobs\n  a1"));
  EXPECT_THAT(text, Not(HasSubstr("\n  v2")));
}

TEST_F(JobFilters, SortInEveryOrder) {
  EXPECT_EQ(shown({"--sort", "name"}), "job a1 a2 v1 v2");
  EXPECT_EQ(shown({"--sort", "gpus"}), "job a2 a1 v2 v1");
  EXPECT_EQ(shown({"--sort", "queue"}), "job a1 a2 v1 v2");
  const auto group = [](const char* name, const char* created, const char* priority) {
    return std::string("---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: ") +
           name + ", creationTimestamp: " + created + "}, spec: {queue: ads, priorityClassName: " + priority +
           "}}\n---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + priority +
           "}, value: " + (priority[0] == 'l' ? "-2147483648" : "2147483647") + "}\n";
  };
  const std::string more = files_.add("more.yaml", group("old", "0001-01-01T00:00:00Z", "low") +
                                                       group("new", "2025-06-01T11:59:00Z", "high"));
  EXPECT_EQ(shown({more, "--sort", "age"}), "job old new a1 a2 v1 v2");
  EXPECT_EQ(shown({more, "--sort", "priority"}), "job new a1 a2 v1 v2 old");
}

TEST_F(JobFilters, UnknownNamesAreErrors) {
  const std::string file = files_.add("cluster.yaml", cluster_);
  const struct {
    std::vector<std::string> arguments;
    const char* says;
  } cases[] = {
      {{"--queue", "visoin"}, "error: there is no queue \"visoin\"; did you mean \"vision\"?\n"},
      {{"-n", "defualt"}, "error: there is no job in namespace \"defualt\"; did you mean \"default\"?\n"},
      {{"--job", "v11"}, "error: there is no job \"v11\"; did you mean \"v1\"?\n"},
      {{"--job", "defalt/a1"}, "error: there is no job \"defalt/a1\"; did you mean \"default/a1\"?\n"},
      {{"--state", "waitng"}, "did you mean \"waiting\"?"},
      {{"--sort", "gpu"}, "did you mean \"gpus\"?"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> arguments{"simulate", file, "--config", files_.add("config.yml", kAllocateOnly)};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const Ran ran = run_muster(arguments);
    EXPECT_EQ(ran.exit_code, kUsage) << c.says;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(c.says));
  }
}

TEST_F(TextOutput, ShowsNamespacesOnlyIfThereAreSeveral) {
  const std::string queue =
      node_yaml("n1", 8) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1");
  EXPECT_THAT(simulated(queue + job_yaml("a", "q", 1, 1, 1)), Not(HasSubstr("default/a")));
  const std::string other = R"(---
{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: b, namespace: else}, spec: {queue: q}}
)";
  EXPECT_THAT(simulated(queue + job_yaml("a", "q", 1, 1, 1) + other), HasSubstr("default/a"));
}

TEST_F(TextOutput, TimingIsATable) {
  const std::string text = simulated(
      node_yaml("n1", 1) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1"), {"--timing"});
  EXPECT_THAT(text, testing::ContainsRegex("cycle +open +allocate +nodes tried +scenarios\n  all "));
  EXPECT_THAT(text, HasSubstr("peak memory"));
}

TEST(EvictionText, NamesActionAndPreemptor) {
  Cluster cluster;
  const auto add_job = [&](const char* name) {
    cluster.apply(PodGroupObject{.meta = {.ns = "default", .name = name, .uid = name}, .queue = "q"});
    return cluster.apply(PodObject{.meta = {.ns = "default", .name = std::string(name) + "-0", .uid = name},
                                   .phase = PodPhase::kPending,
                                   .scheduler = "kai-scheduler",
                                   .pod_group = name});
  };
  const TaskId victim = add_job("batch"), preemptor = add_job("serve");
  const NodeId node = cluster.apply(NodeObject{.meta = {.name = "n1"}});
  cluster.apply(QueueObject{.meta = {.name = "q"}});
  cluster.refresh({});
  Round round{.cycle = 1};
  round.decisions.evictions.push_back({victim, "reclaim", cluster.task(preemptor).job});
  round.decisions.pipelined.push_back({preemptor, node, {}});
  std::string text;
  const auto report =
      report::text_report(cluster, {.run = {}, .filter = {}}, [&](const Text& part) { text += part.str(); });
  report->add(round);
  report->finish(round, std::nullopt);
  EXPECT_THAT(text, HasSubstr("  evicted    batch  1 pod  batch-0, by reclaim for serve\n"
                              "  nominated  serve  1 pod  serve-0 → n1\n"));
  EXPECT_THAT(
      text,
      HasSubstr("  batch\n    was evicted in the last cycle and is tried again in the next one\n"
                "  serve\n    is nominated to a node and starts once the evicted pods have terminated\n"));
}

}  // namespace
}  // namespace muster::cli
