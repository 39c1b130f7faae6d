// Numbers that are equal for similar jobs: same constraints and same positions in the tree for all pending
// tasks, regardless of amounts.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "model/cluster.hpp"

namespace muster {

// Computed when the cycle opens; placements of the cycle do not change them.
class Signatures {
 public:
  explicit Signatures(const Cluster& cluster);
  std::uint32_t of(JobId job) const;

 private:
  absl::flat_hash_map<JobId, std::uint32_t> of_job_;
};

}  // namespace muster
