// Finds reasons that no eviction can remove: an amount that no node has or that makes no sense, an
// object that does not exist.
#pragma once

#include <optional>

#include "model/cluster.hpp"
#include "model/id_set.hpp"
#include "model/reasons.hpp"
#include "options/compatibility.hpp"

namespace muster::plugins {

class Obstacles {
 public:
  Obstacles(const Cluster& cluster, const Compatibility& compatibility)
      : cluster_(cluster), waits_for_valid_gpus_(compatibility.wait_for_valid_gpus) {}
  std::optional<JobReason> of(TaskId task);

 private:
  std::optional<JobReason> bad_gpu_request(TaskId task) const;
  std::optional<JobReason> larger_than_any_node(TaskId task);
  std::optional<JobReason> larger(TaskId task, Kind kind, std::int64_t requested);
  std::int64_t largest(Kind kind);
  std::optional<JobReason> missing_config_map(TaskId task) const;

  static constexpr std::int64_t kUnknown = -1;
  const Cluster& cluster_;
  const bool waits_for_valid_gpus_;
  IdVector<Kind, std::int64_t> largest_;
  Stamps<ShapeId> no_larger_;  // shapes that fit the largest node of each kind
};

}  // namespace muster::plugins
