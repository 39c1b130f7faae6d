// Compares the live model with one that is built from a fresh list, and heals what is wrong.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {

// A second cluster, read from the API server at one moment, and the versions of its objects.
struct FreshCluster {
  explicit FreshCluster(const ClusterOptions& options) : cluster(options) {}
  struct Kind {
    absl::flat_hash_map<std::string, std::uint64_t> versions;  // by "ns/name"
    std::uint64_t version = 0;                                 // of the list
  };
  Cluster cluster;
  std::map<std::string, Kind> kinds;
};

class SelfCheck {
 public:
  SelfCheck(const WriteParts& parts, const PodGroupWriter& groups, ClusterOptions options)
      : p_(parts), groups_(groups), options_(std::move(options)) {}

  // Reads a fresh list, for compare(). Once at a time.
  kube::Async<void> read();
  // A fresh list waits to be compared.
  bool is_due() const { return fresh_ != nullptr; }
  // Not while a cycle runs.
  void compare(const Cluster& live, TimePoint now);

 private:
  kube::Async<std::unique_ptr<FreshCluster>> read_fresh();
  kube::Async<bool> read_kind(const kube::Resource& resource, FreshCluster& fresh);
  std::vector<std::string> drift(const Cluster& live) const;
  void compare_kind(const Cluster& live, const std::string& kind, std::vector<std::string>& drift) const;
  bool is_assumed(const Cluster& live, const std::string& kind, const std::string& ns,
                  const std::string& name) const;

  const WriteParts p_;
  const PodGroupWriter& groups_;
  const ClusterOptions options_;
  std::unique_ptr<FreshCluster> fresh_;
  bool is_reading_ = false;
};

}  // namespace muster::serve
