// Reports problems of live objects to users: as a condition of a PodGroup, as an event of any other object,
// and in the log.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "document/json_fwd.hpp"
#include "kube/async.hpp"
#include "serve/write/object_review.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

class PodGroupWriter;

class NoticeWriter {
 public:
  NoticeWriter(const WriteServices& parts, PodGroupWriter& groups, bool reclaims_by_lca)
      : p_(parts), groups_(groups), review_(reclaims_by_lca) {}

  // Call after each cycle.
  void publish(const Cluster& cluster, ObjectChanges changes, const ReadWarnings& read);

  // Call with each PodGroup from the watch, even during a transfer.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { conditions_.erase(ns + "/" + name); }

 private:
  using json = nlohmann::json;

  void tell(const Cluster& cluster, const Notice& notice);
  void report_group(const Notice& notice);
  void report_event(const Cluster& cluster, const Notice& notice);
  kube::Async<void> set_condition(std::string ns, std::string name, std::string message);

  const WriteServices p_;
  PodGroupWriter& groups_;
  ObjectReview review_;
  ObjectChanges::Names postponed_;  // PodGroups with a write in progress
  absl::flat_hash_map<std::string, std::string>
      conditions_;  // "ns/name": status.conditions, if there are any
  absl::flat_hash_map<std::string, std::vector<std::string>>
      reported_;                              // by kind and name, for reports by event
  absl::flat_hash_set<std::string> writing_;  // "ns/name"
};

}  // namespace muster::serve
