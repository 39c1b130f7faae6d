// status.preemptibility of PodGroups: what the scheduler takes a job for, whether it ever waited or not.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

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

class PreemptibilityStatus {
 public:
  explicit PreemptibilityStatus(const WriteParts& parts) : p_(parts), updates_(parts.client) {}

  // A PodGroup from the watch; may be called from within transfers.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { groups_.erase(ns + "/" + name); }
  // After each cycle. Looks at jobs whose PodGroup was seen since the last one and, in turn, at some of the
  // others: labels of pods and priority classes count, too.
  void publish(const Cluster& cluster);
  // Nothing is told any more.
  void close() { updates_.close(); }

 private:
  struct Group {
    std::string shown, sent;  // "preemptible (priority)"
    kube::Clock::time_point first_seen{}, sent_at{};
  };
  void look_at(const Job& job, kube::Clock::time_point now);
  void put(const Job& job);

  const WriteParts p_;
  StatusQueue updates_;
  absl::flat_hash_map<std::string, Group> groups_;  // "ns/name"
  absl::flat_hash_set<std::string> news_;           // likewise
  std::size_t next_ = 0;                            // job to look at in turn
  bool is_kept_ = true;                             // by the API server: KAI's CRD does not know it
};

}  // namespace muster::serve
