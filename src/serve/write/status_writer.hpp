// Reports why jobs are pending: in events and in conditions of pods and PodGroups.
//
// A job is reported once it has been pending for a moment, and again only when the reasons have changed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "document/json_fwd.hpp"
#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "serve/write/status_queue.hpp"
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
  StatusWriter(const WriteServices& parts, PodGroupWriter& groups, std::string node_pool);

  // Call after each cycle.
  void publish(const Cluster& cluster, const Decisions& decisions);
  // The time at which the next job will have been pending long enough to be reported.
  kube::Clock::time_point next_due() const { return next_due_; }

  // Call with each PodGroup from the watch, even during a transfer.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { conditions_.erase(ns + "/" + name); }
  // Stops writing conditions.
  void close() { updates_.close(); }

 private:
  using json = nlohmann::json;
  struct Waiting {
    kube::Clock::time_point since{}, reported{}, written{};
    std::string message;
    bool has_condition = false;  // on its PodGroup
    std::uint64_t round = 0;
  };

  void report(const Cluster& cluster, const Job& job, const std::vector<JobReason>& reasons,
              const std::string& message);
  void report_pods(const Cluster& cluster, const Job& job, const std::string& message);
  void set_condition(const Cluster& cluster, const Job& job, const std::vector<JobReason>& reasons,
                     const std::string& message);
  void clear_conditions(const Cluster& cluster);
  void mark_pod(const std::string& ns, const std::string& name, const std::string& uid,
                const std::string& message);
  // Computes the new conditions of a PodGroup from the current ones; nullopt if they need no change.
  using Conditions = std::function<std::optional<json>(const json& before)>;
  void put_conditions(const std::string& ns, const std::string& name, json status,
                      const Conditions& conditions);

  const WriteServices p_;
  PodGroupWriter& groups_;
  const std::string node_pool_;
  StatusQueue updates_;
  absl::flat_hash_map<std::string, Waiting> waiting_;  // "ns/name" of jobs
  // The schedulingConditions of a PodGroup; only kept if there are any.
  struct Known {
    std::string text;  // JSON
    kube::Clock::time_point cleared{};
  };
  absl::flat_hash_map<std::string, Known> conditions_;  // "ns/name"
  std::uint64_t round_ = 0;
  kube::Clock::time_point next_due_ = kube::Clock::time_point::max();
};

}  // namespace muster::serve
