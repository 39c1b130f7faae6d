// status of PodGroups: what the scheduler takes a job for, how many of its pods run, what they ask for and
// hold.
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

// Phase, counts and resourcesStatus as PodGroups have them.
nlohmann::json progress_of(const Cluster& cluster, const Job& job);

class JobStatus {
 public:
  // `tells_progress`: else KAI-Scheduler's controller does, and only preemptibility is told.
  JobStatus(const WriteParts& parts, bool tells_progress)
      : p_(parts), updates_(parts.client), tells_progress_(tells_progress) {}

  // A PodGroup from the watch; may be called from within transfers.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { groups_.erase(ns + "/" + name); }
  // After each cycle. Looks at jobs whose PodGroup was seen since the last one and, in turn, at some of the
  // others: their pods, labels of pods and priority classes count, too.
  void publish(const Cluster& cluster);
  // Nothing is told any more.
  void close() { updates_.close(); }

 private:
  struct Group {
    std::string shown, sent;  // what we tell, as JSON
    std::string looked_at;    // what the job was when it was found to be told
    kube::Clock::time_point first_seen{}, sent_at{};
  };
  bool is_silent() const { return !keeps_preemptibility_ && !tells_progress_; }
  nlohmann::json status_of(const Cluster& cluster, const Job& job) const;
  void look_at(const Cluster& cluster, const Job& job, kube::Clock::time_point now);
  void put(const Job& job, const nlohmann::json& status);

  const WriteParts p_;
  StatusQueue updates_;
  const bool tells_progress_;
  absl::flat_hash_map<std::string, Group> groups_;  // "ns/name"
  absl::flat_hash_set<std::string> news_;           // likewise
  std::size_t next_ = 0;                            // job to look at in turn
  bool keeps_preemptibility_ = true;                // the API server does: KAI's CRD does not know it
};

}  // namespace muster::serve
