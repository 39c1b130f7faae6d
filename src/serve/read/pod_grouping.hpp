// The built-in pod grouper: makes PodGroups for pods that have none, and tells the model at once.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "grouper/grouper.hpp"
#include "kube/latch.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {

class PodGrouping {
 public:
  PodGrouping(const WriteParts& parts, PodGroupWriter& groups, std::string scheduler_name,
              grouper::GroupingOptions options);

  // A pod from the watch; may be called from within transfers.
  void saw(Json pod);
  void pod_gone(const std::string& ns, const std::string& name);
  // From now on we may write: what waits is grouped.
  void begin();
  // Pods stand on nodes whose PodGroups are missing and about to be made again.
  bool is_restoring() const { return restoring_ > 0; }
  // Pods being grouped.
  int open() const { return open_; }

 private:
  using json = nlohmann::json;

  // An owner that was read, or is being read.
  struct Owner {
    kube::Latch read;
    json object;  // null: not readable
    bool failed = false;
    kube::Clock::time_point at = kube::Clock::now();
  };
  // The kinds of one version of one API group.
  struct Kinds {
    kube::Latch read;
    absl::flat_hash_map<std::string, kube::Resource> by_name;
    bool failed = false;
    kube::Clock::time_point at = kube::Clock::now();
  };

  // A pod that names a PodGroup of ours. A crash may have come between the two writes.
  struct Bound {
    std::string ns, name, group;
  };

  void group_waiting();
  bool lacks_its_group(Json pod, std::string_view group) const;
  kube::Async<void> restore(Bound pod);
  kube::Async<void> learn_owners(std::string text);
  kube::Async<void> group(std::string text);
  // False: it may work later.
  kube::Async<bool> try_to_group(const json& pod);
  kube::Async<bool> collect_owners(const json& pod, std::vector<json>& owners);
  kube::Async<std::shared_ptr<Owner>> read_owner(std::string ns, json reference);
  kube::Async<std::shared_ptr<Kinds>> read_kinds(std::string api_version);
  kube::Async<void> annotate_later(std::string ns, std::string name, std::string uid);
  kube::Async<void> annotate(std::string ns, std::string name, std::string uid);

  const WriteParts p_;
  PodGroupWriter& groups_;
  const std::string scheduler_name_;
  const grouper::GroupingOptions options_;
  bool may_begin_ = false;
  int open_ = 0, restoring_ = 0;
  absl::flat_hash_map<std::string, Bound> unchecked_;                // "ns/name": while we may not begin
  absl::flat_hash_map<std::string, std::string> waiting_;            // "ns/name" → the pod as text
  absl::flat_hash_map<std::string, bool> under_way_;                 // uid
  absl::flat_hash_map<std::string, std::shared_ptr<Owner>> owners_;  // by uid
  absl::flat_hash_map<std::string, std::shared_ptr<Kinds>> kinds_;   // by apiVersion
  absl::flat_hash_set<std::string> told_owners_;                     // uid
};

}  // namespace muster::serve
