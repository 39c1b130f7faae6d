// The workloads that own pods, read from the API server and kept for a moment: pods of a workload come in
// numbers.
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

  // Adds the owners of a pod from the nearest to the top one, as far as we may read them. False: another try
  // may work later.
  kube::Async<bool> collect(const nlohmann::json& pod, std::vector<nlohmann::json>& owners);
  // What a pod's group depends on beside them; null where it is not readable. False: another try may work
  // later.
  kube::Async<bool> read_related(std::string ns, grouper::Related related, nlohmann::json& into);

 private:
  using json = nlohmann::json;
  struct Owner;
  struct Kinds;

  void forget_owners();
  kube::Async<std::shared_ptr<Owner>> read_owner(std::string ns, json reference);
  kube::Async<void> read_object(std::string ns, const json& reference, Owner& owner);
  kube::Async<std::shared_ptr<Kinds>> read_kinds(std::string api_version);

  kube::ApiClient& client_;
  Recent<std::shared_ptr<Owner>> owners_;  // by namespace/uid
  kube::Clock::time_point owners_aged_{};
  absl::flat_hash_map<std::string, std::shared_ptr<Kinds>> kinds_;  // by apiVersion
};

}  // namespace muster::serve
