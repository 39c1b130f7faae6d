// Tells users what is wrong with their live objects: a condition of the PodGroup, an event of anything else,
// and a line in the log.
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
  NoticeWriter(const WriteParts& parts, PodGroupWriter& groups, bool reclaims_by_lca)
      : p_(parts), groups_(groups), review_(reclaims_by_lca) {}

  // After a cycle.
  void publish(const Cluster& cluster, ObjectChanges changes, const ReadWarnings& read);

  // A PodGroup from the watch; may be called from within transfers.
  void saw_group(const Json& group);
  void group_gone(const std::string& ns, const std::string& name) { conditions_.erase(ns + "/" + name); }

 private:
  using json = nlohmann::json;

  void tell(const Cluster& cluster, const Notice& notice);
  void tell_group(const Notice& notice);
  void tell_event(const Cluster& cluster, const Notice& notice);
  kube::Async<void> set_condition(std::string ns, std::string name, std::string message);

  const WriteParts p_;
  PodGroupWriter& groups_;
  ObjectReview review_;
  ObjectChanges::Names postponed_;  // PodGroups that something is being written to
  absl::flat_hash_map<std::string, std::string>
      conditions_;  // "ns/name": status.conditions, where there are any
  absl::flat_hash_map<std::string, std::vector<std::string>> told_;  // by kind and name, of what gets events
  absl::flat_hash_set<std::string> writing_;                         // "ns/name"
};

}  // namespace muster::serve
