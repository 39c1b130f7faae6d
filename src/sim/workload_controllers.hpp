// The controllers of workloads in simulated time: Jobs create the pods they need, CronJobs create Jobs,
// StatefulSets create one pod after another, and scaling adds or removes pods. See docs/time.md 3.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grouper/workload_pods.hpp"
#include "sim/controllers.hpp"
#include "sim/time_zone.hpp"
#include "sim/timed_cluster.hpp"
#include "usage/cron.hpp"

namespace muster {

// A workload and the pods that it has.
struct ControlledWorkload {
  std::string object;             // as JSON text
  std::vector<std::string> pods;  // names
};

// The keys by which pods of workloads are grouped.
struct GroupingKeys {
  std::string scheduler, queue_label, node_pool_label;
};

// The "namespace/name" of a CronJob among the workloads, or "" if there is none.
std::string first_cron_job(const std::vector<ControlledWorkload>& workloads);

class WorkloadControllers final : public Controllers {
 public:
  // Controls workloads that already have their initial pods.
  WorkloadControllers(const std::vector<ControlledWorkload>& workloads, GroupingKeys keys);

  void begin(TimedCluster& cluster) override;
  void apply(TimedCluster& cluster, const std::string& workload) override;
  bool remove(TimedCluster& cluster, std::string_view kind, const std::string& ns,
              const std::string& name) override;
  bool scale(TimedCluster& cluster, std::string_view kind, const std::string& ns, const std::string& name,
             std::int64_t replicas) override;
  void is_time(TimedCluster& cluster, std::uint32_t which) override;
  void pod_started(TimedCluster& cluster, const std::string& ns, const std::string& name) override;
  void pod_finished(TimedCluster& cluster, const std::string& ns, const std::string& name) override;
  void job_ended(TimedCluster& cluster, const std::string& job, bool has_failed) override;
  bool gives_up(const std::string& job, std::int64_t failures) const override;

  // Messages about objects that could not be created, without duplicates.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  using json = nlohmann::json;
  struct Workload {
    json object;
    std::vector<json> above;  // owners, the nearest first
    std::map<std::string, grouper::PresentPod> pods;
    std::set<std::string> jobs;  // the PodGroups of its pods that are known so far
    bool is_over = false;
  };
  struct Cron {
    json object;
    CronSchedule schedule;  // in the local time of `zone`
    TimeZone zone;
    std::string last_run;  // key of its last Job
    bool is_gone = false;

    TimePoint next(TimePoint now) const;
  };

  static std::string key_of(std::string_view kind, const std::string& ns, const std::string& name);
  void add(const json& object, const std::vector<std::string>& pods, std::vector<json> above = {});
  void add_cron(const json& object);
  // Records the PodGroup of the pod as a job of the workload.
  void note_job(TimedCluster& cluster, const std::string& key, TaskId task);
  // Creates the missing pods.
  void fill(TimedCluster& cluster, Workload& workload);
  void make(TimedCluster& cluster, Workload& workload, json pod);
  // Adds the name of its PodGroup to the pod, and creates the PodGroup if it does not exist.
  bool join_group(TimedCluster& cluster, Workload& workload, json& pod);
  bool decode(TimedCluster& cluster, const json& object);
  void remove_surplus(TimedCluster& cluster, Workload& workload, std::int64_t replicas);
  Workload* find(std::string_view kind, const std::string& ns, const std::string& name);
  Workload* of_pod(const std::string& ns, const std::string& pod);
  void run_cron(TimedCluster& cluster, std::uint32_t which);
  void note_problem(std::string text);

  const GroupingKeys keys_;
  std::map<std::string, Workload> workloads_;   // "Kind namespace/name"
  std::map<std::string, std::string> of_pods_;  // "namespace/name" → key of the workload
  std::map<std::string, std::string> of_jobs_;  // likewise of PodGroups
  std::vector<Cron> crons_;
  std::vector<std::string> problems_;
};

}  // namespace muster
