// Finds reasons that no eviction can remove: an amount that no node has, an object that does not exist.
#pragma once

#include <optional>

#include "model/cluster.hpp"
#include "model/id_set.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

class Obstacles {
 public:
  explicit Obstacles(const Cluster& cluster) : cluster_(cluster) {}
  std::optional<JobReason> of(TaskId task);

 private:
  std::optional<JobReason> larger_than_any_node(TaskId task);
  std::optional<JobReason> larger(TaskId task, Kind kind, std::int64_t requested);
  std::int64_t largest(Kind kind);
  std::optional<JobReason> missing_config_map(TaskId task) const;

  static constexpr std::int64_t kUnknown = -1;
  const Cluster& cluster_;
  IdVector<Kind, std::int64_t> largest_;
  Stamps<ShapeId> no_larger_;  // shapes that fit the largest node of each kind
};

}  // namespace muster::plugins
