// The built-in pod grouper: makes PodGroups for pods that have none, and tells the model at once.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "document/json_fwd.hpp"
#include "kube/async.hpp"
#include "serve/write/workload_owners.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::grouper {
struct GroupingOptions;
}

namespace muster {
class Cluster;
}

namespace muster::serve {

class PodGroupWriter;

struct PodGroupingOptions {
  std::string scheduler_name, queue_label, node_pool_label;
};

class PodGrouping {
 public:
  PodGrouping(const WriteParts& parts, PodGroupWriter& groups, PodGroupingOptions options);

  // A pod from the watch; may be called from within transfers.
  void saw(const Json& pod);
  void pod_gone(const std::string& ns, const std::string& name);
  // From now on we may write: what waits is grouped.
  void begin();
  // PodGroups of ours that somebody deleted while their pods run are made again.
  void look_after(const Cluster& cluster);
  // Pods stand on nodes whose PodGroups are missing and about to be made again, or pods that were there when
  // we began are not planned for yet. Who decides before that knows only some of the jobs.
  bool is_catching_up() const { return restoring_ > 0 || !unplanned_.empty(); }

 private:
  using json = nlohmann::json;

  // A pod that names a PodGroup of ours. A crash may have come between the two writes.
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
  // False: it may work later.
  kube::Async<bool> try_to_group(const json& pod);
  kube::Async<void> annotate_later(std::string ns, std::string name, std::string uid);
  kube::Async<void> annotate(std::string ns, std::string name, std::string uid);

  const WriteParts p_;
  PodGroupWriter& groups_;
  const PodGroupingOptions options_;
  bool may_begin_ = false;
  int restoring_ = 0;
  absl::flat_hash_map<std::string, Bound> unchecked_;      // "ns/name": while we may not begin
  absl::flat_hash_map<std::string, std::string> waiting_;  // "ns/name" → the pod as text
  absl::flat_hash_set<std::string> under_way_;             // uid
  absl::flat_hash_set<std::string> unplanned_;             // uid, of those that were there when we began
  absl::flat_hash_set<std::string> put_back_;              // "ns/name" of PodGroups that are about to be
  WorkloadOwners owners_;
  absl::flat_hash_set<std::string> told_owners_;  // uid; the model forgets those that no pod has
  std::uint64_t sweeps_ = 0;                      // of the model, when we last looked
};

}  // namespace muster::serve
