// Keeps decisions that were written but that the watch has not shown yet. Applies them to older versions of
// the objects, so that nothing is decided twice.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <utility>
#include <vector>

#include "model/device_objects.hpp"
#include "model/ids.hpp"
#include "model/objects.hpp"
#include "serve/read/observed_state.hpp"

namespace muster {
class Cluster;
}

namespace muster::serve {

// The devices that a bind takes for each of the pod's claims.
std::vector<ClaimAllocation> claims_of(const Cluster& cluster, TaskId task, HoldingId held);

class Assumptions {
 public:
  // ---- binds: in the model they are BindRequests of this scheduler
  void bind(Cluster& cluster, TaskId task, NodeId node, HoldingId holding);
  void end_bind(Cluster& cluster, const std::string& ns, const std::string& name, const std::string& uid);
  bool binds(const std::string& ns, const std::string& name, const std::string& uid) const;
  // To be called when the watch shows the bind.
  void confirm_bind(const std::string& ns, const std::string& name) { binds_.erase(ns + "/" + name); }
  // True if anything about the pod is assumed.
  bool touches(const std::string& ns, const std::string& name, const std::string& uid) const {
    return binds(ns, name, uid) || evicts(uid) || group_of(uid) != nullptr;
  }

  // ---- evictions: the pod looks as if it were terminating
  void evict(Cluster& cluster, TaskId task, JobId preemptor, TimePoint now);
  void end_eviction(Cluster& cluster, const std::string& ns, const std::string& name, const std::string& uid);
  bool evicts(const std::string& uid) const { return evictions_.contains(uid); }

  // ---- annotations of PodGroups
  void annotate(const std::string& ns, const std::string& name, const AnnotationChanges& changes);
  void end_annotations(const std::string& ns, const std::string& name);

  // ---- groups of pods that do not carry their annotation yet
  void join(const std::string& uid, std::string group, std::string sub_group);
  const std::pair<std::string, std::string>* group_of(const std::string& uid) const;

  // Applies the assumptions to a pod or PodGroup from the watch, and forgets those that it already shows.
  void correct(PodObject& pod);
  void correct(PodGroupObject& group);
  // Call when the model has the pod as the watch shows it. Forgets the bind of the pod if it is complete.
  void settle_bind(Cluster& cluster, TaskId id);
  void forget_pod(Cluster& cluster, const std::string& ns, const std::string& name);

  // ---- for snapshots
  template <class Use>
  void each_bind(Use use) const {
    for (const auto& [pod, uid] : binds_) use(pod);
  }
  template <class Use>
  void each_eviction(Use use) const {
    for (const auto& [uid, eviction] : evictions_) use(uid, eviction.since);
  }
  template <class Use>
  void each_group(Use use) const {
    for (const auto& [uid, group] : groups_) use(uid, group);
  }
  template <class Use>
  void each_annotation(Use use) const {
    for (const auto& [job, changes] : annotations_) use(job, changes);
  }

  std::size_t binds_open() const { return binds_.size(); }
  std::size_t evictions_open() const { return evictions_.size(); }

 private:
  absl::flat_hash_map<std::string, std::string> binds_;  // "ns/name" → uid
  struct Eviction {
    TimePoint since;
    std::string preemptor_ns, preemptor;  // "": none
  };
  absl::flat_hash_map<std::string, Eviction> evictions_;                          // by uid
  absl::flat_hash_map<std::string, AnnotationChanges> annotations_;               // "ns/name"
  absl::flat_hash_map<std::string, std::pair<std::string, std::string>> groups_;  // by uid
};

}  // namespace muster::serve
