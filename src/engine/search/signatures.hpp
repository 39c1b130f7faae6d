// What makes jobs alike, as a number: constraints and places in the tree of all their tasks that wait, but no
// amounts.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "model/cluster.hpp"

namespace muster {

// Taken when the cycle opens; what the cycle places does not change them.
class Signatures {
 public:
  explicit Signatures(const Cluster& cluster);
  std::uint32_t of(JobId job) const;

 private:
  absl::flat_hash_map<JobId, std::uint32_t> of_job_;
};

}  // namespace muster
