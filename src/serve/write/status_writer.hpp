// Tells the cluster who waits and why: events, conditions of pods and PodGroups.
//
// A job is spoken of when it has waited a moment, and again only when there is something else to say.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "document/json_fwd.hpp"
#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "serve/write/write_parts.hpp"

namespace muster {
class Cluster;
struct Decisions;
struct Job;
struct JobReason;
}  // namespace muster

namespace muster::serve {

class PodGroupWriter;

class StatusWriter {
 public:
  StatusWriter(const WriteParts& parts, PodGroupWriter& groups, std::string node_pool);

  // After each cycle.
  void publish(const Cluster& cluster, const Decisions& decisions);
  // When somebody has waited long enough to be spoken of.
  kube::Clock::time_point next_due() const { return next_due_; }

  // A PodGroup from the watch; may be called from within transfers.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { conditions_.erase(ns + "/" + name); }

 private:
  using json = nlohmann::json;
  struct Waiting {
    kube::Clock::time_point since{}, told{}, written{};
    std::string message;
    std::uint64_t round = 0;
  };

  void tell(const Cluster& cluster, const Job& job, const std::vector<JobReason>& reasons,
            const std::string& message);
  void tell_pods(const Cluster& cluster, const Job& job, const std::string& message);
  void set_condition(const Cluster& cluster, const Job& job, const std::vector<JobReason>& reasons,
                     const std::string& message);
  void clear_conditions(const Cluster& cluster);
  kube::Async<void> patch_status(std::string ns, std::string name, json status);
  kube::Async<void> mark_pod(std::string ns, std::string name, std::string uid, std::string message);

  const WriteParts p_;
  PodGroupWriter& groups_;
  const std::string node_pool_;
  absl::flat_hash_map<std::string, Waiting> waiting_;  // "ns/name" of jobs
  // "ns/name": schedulingConditions as JSON text, where there are any
  absl::flat_hash_map<std::string, std::string> conditions_;
  std::uint64_t round_ = 0;
  kube::Clock::time_point next_due_ = kube::Clock::time_point::max();
};

}  // namespace muster::serve
