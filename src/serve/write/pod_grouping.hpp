// The built-in pod grouper: creates PodGroups for pods that have none, and adds them to the model at once.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "document/json_fwd.hpp"
#include "kube/async.hpp"
#include "model/cluster.hpp"
#include "serve/write/workload_owners.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::grouper {
struct GroupingOptions;
}

namespace muster::serve {

class PodGroupWriter;

struct PodGroupingOptions {
  std::string queue_label, node_pool_label;
  ClusterOptions cluster;
};

class PodGrouping {
 public:
  PodGrouping(const WriteServices& parts, PodGroupWriter& groups, PodGroupingOptions options);

  // Call with each pod from the watch, even during a transfer.
  void saw(const Json& pod);
  void pod_gone(const std::string& ns, const std::string& name);
  // Groups the pods that wait for a PodGroup. Call when this replica may write.
  void begin();
  // Restores PodGroups of this grouper that were deleted while their pods run.
  void look_after(const Cluster& cluster);
  // True while PodGroups of pods on nodes are missing and about to be restored, or while pods that existed
  // before begin() are not grouped yet. A decision before that would consider only some of the jobs.
  bool is_catching_up() const { return restoring_ > 0 || !unplanned_.empty(); }

 private:
  using json = nlohmann::json;

  // A bound pod that names a PodGroup of this grouper. After a crash between the two writes, the PodGroup may
  // be missing.
  struct Bound {
    std::string ns, name, group;
  };

  void group_waiting();
  bool lacks_its_group(Json pod, std::string_view group) const;
  kube::Async<void> restore(Bound pod);
  kube::Async<void> put_back(Bound pod);
  kube::Async<void> learn_owners(std::string text);
  kube::Async<void> group(std::string text);
  grouper::GroupingOptions plan_options() const;
  // Returns false if another attempt may succeed later.
  kube::Async<bool> try_to_group(const json* pod);
  kube::Async<void> annotate_later(std::string ns, std::string name, std::string uid);
  kube::Async<void> annotate(std::string ns, std::string name, std::string uid);

  const WriteServices p_;
  PodGroupWriter& groups_;
  const PodGroupingOptions options_;
  bool may_begin_ = false;
  int restoring_ = 0;
  absl::flat_hash_map<std::string, Bound> unchecked_;      // "ns/name": pods seen before begin()
  absl::flat_hash_map<std::string, std::string> waiting_;  // "ns/name" → the pod as text
  absl::flat_hash_set<std::string> under_way_;             // uid
  absl::flat_hash_set<std::string> unplanned_;             // uid of pods that existed before begin()
  absl::flat_hash_set<std::string> put_back_;              // "ns/name" of PodGroups about to be restored
  WorkloadOwners owners_;
  absl::flat_hash_set<std::string> known_owners_;  // uid of owners that are in the model
  std::uint64_t sweeps_ = 0;  // sweeps of the model so far; a sweep removes owners that have no pod
};

}  // namespace muster::serve
