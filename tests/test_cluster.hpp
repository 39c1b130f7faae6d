// Builds a cluster in a few lines, for tests that run a cycle and compare the decisions as text. Every field
// has a default, so that a test names only what it is about.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "engine/cycle/selector_results.hpp"
#include "engine/cycle/session.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster {

using namespace std::chrono_literals;

struct NodeSpec {
  int gpus = 8;
  double cpu = 64;  // cores
  double memory_gb = 512;
  int pods = 110;
  int gpu_memory = 0;  // MiB per device; 0: unknown
  Labels labels = {};
  std::vector<Taint> taints = {};
  bool cordoned = false;
  std::vector<NamedAmount> extra = {};
};

struct QueueSpec {
  std::string parent = "";
  double deserved = 0, limit = -1, weight = 1;  // of GPUs
  QueueAmounts cpu{.quota = -1, .limit = -1, .weight = 1};
  QueueAmounts memory{.quota = -1, .limit = -1, .weight = 1};
  int priority = 100;
  std::optional<Duration> preempt_min_runtime = {}, reclaim_min_runtime = {};
  std::string expected_runtime = {}, requeue_delay = {};  // annotations
  std::optional<Duration> age = {};                       // none: queues named earlier are older
};

// What one task requests.
struct TaskSpec {
  int gpus = 1;
  double cpu = 0;  // cores
  double memory_gb = 0;
  double fraction = 0;  // of each of `devices`; `gpus` is ignored
  int gpu_memory = 0;   // MiB of each of `devices`; `gpus` is ignored
  int devices = 1;
  std::vector<NamedAmount> extra = {};
  std::string sub_group = "";
  std::optional<std::string> task_priority = {};
  std::optional<Duration> deleted = {};  // time since the deletion
  Constraints constraints = {};
};

struct SubGroupSpec {
  std::string name;
  std::string parent = "";
  std::optional<int> min = {}, min_sub_group = {};
  int tasks = 0;
  TopologyConstraint topology = {};
};

struct JobSpec {
  std::string queue = "default";
  int tasks = 1;
  std::optional<int> min = {}, min_sub_group = {};  // none: all tasks
  std::vector<SubGroupSpec> groups = {};            // `tasks` and `min` are ignored
  int gpus = 1;
  double cpu = 0;
  double memory_gb = 0;
  double fraction = 0;
  int gpu_memory = 0;
  int devices = 1;
  int priority = 50;
  std::optional<bool> preemptible = {};
  std::string node = "";                 // of running tasks
  std::vector<std::string> nodes = {};   // one per task, if they differ
  std::vector<std::string> shares = {};  // shared GPUs of running tasks
  std::optional<Duration> age = {};      // since creation and start; none: jobs named earlier are older
  std::optional<Duration> deleted = {};  // time since the deletion
  Constraints constraints = {};
  std::optional<Duration> preemption_delay = {};
  std::optional<std::string> preemptibility = {};                        // as the spec has it
  std::string preemptibility_label = {};                                 // of its pods
  std::optional<std::string> expected_runtime = {}, requeue_delay = {};  // annotations
  std::optional<std::string> requeue_not_before = {}, requeued_at = {};
  TopologyConstraint topology = {};  // {"net", "rack", "host"}: topology, required level, preferred level
  bool is_start_known = true;        // of a running job
};

// A running job with a share of that GPU.
inline JobSpec share_on(std::string node, double fraction, std::string gpu) {
  return {.fraction = fraction, .node = std::move(node), .shares = {std::move(gpu)}};
}

class TestCluster {
 public:
  // Starts at 2025-06-01 12:00 with the plugins of the default configuration and a queue "default".
  explicit TestCluster(Config config = {});

  TestCluster& node(const std::string& name, const NodeSpec& spec = {});
  TestCluster& queue(const std::string& name, const QueueSpec& spec = {});
  // Levels are labels, coarsest first.
  TestCluster& topology(const std::string& name, const std::vector<std::string>& levels);
  TestCluster& pending(const std::string& name, const JobSpec& spec = {});
  TestCluster& gated(const std::string& name, const JobSpec& spec = {});
  TestCluster& running(const std::string& name, const JobSpec& spec = {});
  TestCluster& terminating(const std::string& name, JobSpec spec = {});
  // Adds a task to a job, pending unless `node` is given: for jobs whose tasks differ.
  TestCluster& task(const std::string& job, const std::string& name, const TaskSpec& spec = {},
                    const std::string& node = "");

  // Runs only these actions of the configuration.
  TestCluster& only(const std::vector<std::string>& actions);
  Policy& policy() { return policy_; }

  // The decisions of a cycle, by kind and name: "evict c-0 c-1; bind a-0 n1; pipeline b-0 n2/g0". Before the
  // next cycle, bound pods run and evicted pods are created again.
  std::string cycle();
  // The last value that the cycle wrote to an annotation; "" if none.
  std::string written(const std::string& job, const std::string& key) const;
  // Why the job is pending after the last cycle; "" if it is not.
  std::string why(const std::string& job) const;
  TestCluster& advance(Duration by);

  // The open cycle, for tests of what happens inside.
  Session& open();
  const Decisions& decisions() const { return decisions_; }
  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  TimePoint now() const { return now_; }
  TaskId task_id(const std::string& name) const { return cluster_.find_task("default", name); }
  JobId job_id(const std::string& name) const { return cluster_.find_job("default", name); }
  NodeId node_id(const std::string& name) const { return cluster_.find_node(name); }
  QueueId queue_id(const std::string& name) const { return cluster_.find_queue(name); }
  // Kept between cycles.
  SelectorResults& selector_results() { return selector_results_; }
  TaskStatus status(const std::string& task) const { return cluster_.placement(task_id(task)).status; }

 private:
  struct Standing {
    PodPhase phase = PodPhase::kPending;
    bool gated = false;
  };
  void add_job(const std::string& name, const JobSpec& spec, const Standing& standing);
  void add_tasks(const std::string& name, const JobSpec& spec, const Standing& standing, TimePoint created);
  void carry_on();  // what happens to pods after a cycle
  Meta meta(const std::string& name, std::optional<Duration> age);

  Config config_;
  Cluster cluster_;
  Policy policy_;
  EmbeddedCluster embedded_;
  TimePoint now_;
  int named_ = 0;  // objects so far: later ones are younger
  Decisions decisions_;
  bool is_decided_ = false;  // not carried out yet
  SelectorResults selector_results_;
  std::unique_ptr<Session> session_;
};

// The decisions, in the format of TestCluster::cycle().
std::string text_of(const Cluster& cluster, const Decisions& decisions);

}  // namespace muster
