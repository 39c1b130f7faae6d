// Compares the live model with one that is built from a fresh list.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/api_client.hpp"
#include "serve/assumptions.hpp"
#include "serve/live_source.hpp"

namespace muster::serve {

// A second cluster, read from the API server at one moment, and the versions of its objects.
struct FreshCluster {
  explicit FreshCluster(const ClusterOptions& options) : cluster(options) {}
  Cluster cluster;
  absl::flat_hash_map<std::string, std::uint64_t> pods;  // "ns/name" → version
  std::uint64_t version = 0;                             // of the list of pods
};

// Nothing where the API server did not answer.
kube::Async<std::unique_ptr<FreshCluster>> read_fresh(kube::ApiClient& client, ClusterOptions options);

// What the live model has wrong, one line for each pod. Pods that changed since the list was made, and those
// about which something is assumed, are left out. Not while a cycle runs.
std::vector<std::string> find_drift(const Cluster& live, FreshCluster& fresh, const kube::Reflector& pods,
                                    const Assumptions& assumptions, TimePoint now);

}  // namespace muster::serve
