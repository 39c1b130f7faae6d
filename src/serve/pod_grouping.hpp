// The built-in pod grouper: makes PodGroups for pods that have none, and tells the model at once.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "grouper/grouper.hpp"
#include "kube/latch.hpp"
#include "serve/events.hpp"
#include "serve/live_source.hpp"

namespace muster::serve {

class PodGrouping {
 public:
  struct Parts {
    kube::ApiClient& client;
    LiveSource& source;
    Assumptions& assumptions;
    Events& events;
    Log& log;
  };
  PodGrouping(const Parts& parts, std::string scheduler_name, grouper::GroupingOptions options);

  // A pod from the watch; may be called from within transfers.
  void saw(Json pod);
  void pod_gone(const std::string& ns, const std::string& name) { waiting_.erase(ns + "/" + name); }
  void group_gone(const std::string& ns, const std::string& name) { groups_.erase(ns + "/" + name); }
  // From now on we may write: what waits is grouped.
  void begin();
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
  // A PodGroup that was written, or is being written.
  struct Group {
    kube::Latch written;
    std::size_t plan = 0;  // hash of what was written
    bool failed = false;
  };
  // The kinds of one version of one API group.
  struct Kinds {
    kube::Latch read;
    absl::flat_hash_map<std::string, kube::Resource> by_name;
    bool failed = false;
    kube::Clock::time_point at = kube::Clock::now();
  };

  kube::Async<void> group(std::string text);
  // False: it may work later.
  kube::Async<bool> try_to_group(const json& pod);
  kube::Async<bool> collect_owners(const json& pod, std::vector<json>& owners);
  kube::Async<std::shared_ptr<Owner>> read_owner(std::string ns, json reference);
  kube::Async<std::shared_ptr<Kinds>> read_kinds(std::string api_version);
  kube::Async<bool> write_group(const grouper::GroupPlan& plan);
  kube::Async<bool> put_group(const json& pod_group);
  kube::Async<void> annotate_later(std::string ns, std::string name, std::string uid);
  kube::Async<void> annotate(std::string ns, std::string name, std::string uid);

  const Parts p_;
  const std::string scheduler_name_;
  const grouper::GroupingOptions options_;
  bool may_begin_ = false;
  int open_ = 0;
  absl::flat_hash_map<std::string, std::string> waiting_;            // "ns/name" → the pod as text
  absl::flat_hash_map<std::string, bool> under_way_;                 // uid
  absl::flat_hash_map<std::string, std::shared_ptr<Owner>> owners_;  // by uid
  absl::flat_hash_map<std::string, std::shared_ptr<Group>> groups_;  // "ns/name"
  absl::flat_hash_map<std::string, std::shared_ptr<Kinds>> kinds_;   // by apiVersion
};

}  // namespace muster::serve
