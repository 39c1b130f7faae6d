// Reads the workloads that own pods from the API server, and keeps them for a while since a workload usually
// has many pods.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "grouper/grouper.hpp"
#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "util/recent.hpp"

namespace muster::kube {
class ApiClient;
}

namespace muster::serve {

class WorkloadOwners {
 public:
  explicit WorkloadOwners(kube::ApiClient& client);
  ~WorkloadOwners();

  // Adds the owners of a pod from the nearest to the topmost one, as far as they may be read. Returns false
  // if another attempt may succeed later.
  kube::Async<bool> collect(const nlohmann::json* pod, std::vector<nlohmann::json>* owners);
  // Reads the other object that a pod's group depends on; null if it cannot be read. Returns false if another
  // attempt may succeed later.
  kube::Async<bool> read_related(std::string ns, grouper::Related related, nlohmann::json* into);

 private:
  using json = nlohmann::json;
  struct Owner;
  struct Kinds;

  void forget_owners();
  kube::Async<std::shared_ptr<Owner>> read_owner(std::string ns, json reference);
  kube::Async<void> read_object(std::string ns, json reference, Owner* owner);
  kube::Async<std::shared_ptr<Kinds>> read_kinds(std::string api_version);

  kube::ApiClient& client_;
  Recent<std::shared_ptr<Owner>> owners_;  // by namespace/uid
  kube::Clock::time_point owners_aged_{};
  absl::flat_hash_map<std::string, std::shared_ptr<Kinds>> kinds_;  // by apiVersion
};

}  // namespace muster::serve
