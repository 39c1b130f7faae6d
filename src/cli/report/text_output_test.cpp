// The whole text of small runs, and how long lists are folded.
#include <gmock/gmock.h>

#include "cli/command_for_test.hpp"
#include "cli/report/report.hpp"
#include "model/objects.hpp"

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
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  FilesForTest files_;
};

TEST_F(TextOutput, TellsWhatHappenedWhoHoldsWhatAndWhoWaits) {
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
  queue     quota  fair share  in use  wanted  limit
  lab           8           8       8       9      ∞
    vision      4           8       8       9      8

Jobs
  job    queue    priority  pods  min  status   nodes
  big    vision         50   1/1    1  Running  n1
  train  vision         50   5/6    4  Running  n1 (1), n2 (4)
  lost   nowhere        50   0/1    1  Pending

Waiting, and why
  lost  QueueDoesNotExist
    queue "nowhere" does not exist, or a queue above it does not
  train, 5 of 6 pods run  OverLimit
    queue vision is limited to 8 GPUs: 8 in use, 1 more wanted

3 cycles: 6 pods bound, 0 evicted; 2 pods of 2 jobs waiting; 8 of 8 GPUs in use on 2 nodes
)");
}

TEST_F(TextOutput, FoldsJobsThatWaitForTheSameReason) {
  std::string cluster = node_yaml("n1", 1) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1");
  for (int i = 0; i < 12; ++i) cluster += job_yaml("sweep-" + std::to_string(i), "q", 1, 1, 1);
  EXPECT_THAT(simulated(cluster), HasSubstr("  sweep-1 … sweep-11, 11 jobs like this  PodSchedulingErrors\n"
                                            "    no room for pod sweep-1-0: 1 node: not enough GPUs (1 "
                                            "wanted, none free); 1 GPU: 1 held by queue\n"
                                            "    q, none free\n"));
}

TEST_F(TextOutput, CutsOffLongListsUnlessAllIsAskedFor) {
  std::string cluster = node_yaml("n1", 8) + queue_yaml("q", "", "quota: 8, limit: -1, overQuotaWeight: 1");
  for (int i = 0; i < 60; ++i) cluster += job_yaml("j" + std::to_string(i), "q", 1, 1, 1);
  EXPECT_THAT(simulated(cluster), HasSubstr("… and 20 more; --all shows them"));
  EXPECT_THAT(simulated(cluster, {"--all"}), Not(HasSubstr("more;")));
}

TEST_F(TextOutput, ShowsCpuAndMemoryWhereTheyAreBounded) {
  const std::string plain =
      node_yaml("n1", 1) + queue_yaml("q", "", "quota: 1, limit: -1, overQuotaWeight: 1");
  EXPECT_THAT(simulated(plain), Not(HasSubstr("CPU cores")));
  EXPECT_THAT(simulated(plain, {"--wide"}), HasSubstr("CPU cores"));
  const std::string bounded = node_yaml("n1", 1) + R"(---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec: {resources: {cpu: {quota: 2500, limit: 4000}, memory: {quota: 1500, limit: -1}, gpu: {quota: 1, limit: 1}}}
)";
  EXPECT_THAT(simulated(bounded), HasSubstr(R"(
         GPUs                                      CPU cores                                 memory, GB
  queue  quota  fair share  in use  wanted  limit  quota  fair share  in use  wanted  limit  quota  fair share  in use  wanted  limit
  q          1           0       0       0      1    2.5           0       0       0      4    1.5           0       0       0      ∞
)"));
}

TEST_F(TextOutput, NamesNamespacesOnlyWhereThereAreSeveral) {
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
  EXPECT_THAT(text, HasSubstr("memory at most"));
}

TEST(EvictionText, NamesActionAndContender) {
  Cluster cluster;
  const auto add_job = [&](const char* name) {
    cluster.apply(PodGroupObject{.meta = {.ns = "default", .name = name, .uid = name}, .queue = "q"});
    return cluster.apply(PodObject{.meta = {.ns = "default", .name = std::string(name) + "-0", .uid = name},
                                   .phase = PodPhase::kPending,
                                   .scheduler = "kai-scheduler",
                                   .pod_group = name});
  };
  const TaskId victim = add_job("batch"), contender = add_job("serve");
  const NodeId node = cluster.apply(NodeObject{.meta = {.name = "n1"}});
  cluster.apply(QueueObject{.meta = {.name = "q"}});
  cluster.refresh({});
  Round round{.cycle = 1};
  round.decisions.evictions.push_back({victim, "reclaim", cluster.task(contender).job});
  round.decisions.pipelined.push_back({contender, node, {}});
  const std::string text = to_text(cluster, {round}, std::nullopt, {});
  EXPECT_THAT(text, HasSubstr("  evicted    batch  1 pod  batch-0, by reclaim for serve\n"
                              "  pipelined  serve  1 pod  serve-0 → n1\n"));
  EXPECT_THAT(text, HasSubstr("  batch\n    was evicted in the last cycle, and is tried again in the next\n"
                              "  serve\n    has a place in view, and starts when the pods there are gone\n"));
}

}  // namespace
}  // namespace muster::cli
