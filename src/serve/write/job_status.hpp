// Writes the status of PodGroups: effective preemptibility, number of running pods, resources requested and
// in use.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "document/json_fwd.hpp"
#include "kube/clock.hpp"
#include "serve/write/status_queue.hpp"
#include "serve/write/write_parts.hpp"

namespace muster {
class Cluster;
struct Job;
}  // namespace muster

namespace muster::serve {

// The fields phase, counts and resourcesStatus of a PodGroup.
nlohmann::json progress_of(const Cluster& cluster, const Job& job);

class JobStatus {
 public:
  // `writes_progress`: also write the progress. Otherwise KAI-Scheduler's controller does, and only the
  // preemptibility is written here.
  JobStatus(const WriteServices& parts, bool writes_progress)
      : p_(parts), updates_(parts.client), writes_progress_(writes_progress) {}

  // Call with each PodGroup from the watch, even during a transfer.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { groups_.erase(ns + "/" + name); }
  // Call after each cycle. Checks the jobs whose PodGroup was seen since the last call. The status also
  // depends on pods, labels and priority classes, so each call checks some of the other jobs as well, in
  // turn.
  void publish(const Cluster& cluster);
  // Stops writing status.
  void close() { updates_.close(); }

 private:
  struct Group {
    std::string shown, sent;  // muster's part of the status as JSON: as the watch showed it, and as last sent
    std::string settled_state;  // the state of the job when its status was last found up to date
    kube::Clock::time_point first_seen{}, sent_at{};
  };
  bool is_silent() const { return !keeps_preemptibility_ && !writes_progress_; }
  nlohmann::json status_of(const Cluster& cluster, const Job& job) const;
  void look_at(const Cluster& cluster, const Job& job, kube::Clock::time_point now);
  void put(const Job& job, const nlohmann::json& status);

  const WriteServices p_;
  StatusQueue updates_;
  const bool writes_progress_;
  absl::flat_hash_map<std::string, Group> groups_;  // "ns/name"
  absl::flat_hash_set<std::string> changed_;        // likewise
  std::size_t next_ = 0;                            // the next job to check in turn
  bool keeps_preemptibility_ = true;  // false: the API server drops the field, which KAI's CRD does not have
};

}  // namespace muster::serve
