// Compares requests with the largest node of each kind, and referenced names with the existing objects.
#include "plugins/predicates/obstacles.hpp"

#include <algorithm>

namespace muster::plugins {

std::optional<JobReason> Obstacles::of(TaskId task) {
  if (auto reason = bad_gpu_request(task)) return reason;
  if (auto reason = larger_than_any_node(task)) return reason;
  return missing_config_map(task);
}

std::optional<JobReason> Obstacles::bad_gpu_request(TaskId task) const {
  const auto& bad = cluster_.shape_of(task).constraints.bad_gpu_requests;
  if (bad.empty() || !waits_for_valid_gpus_) return std::nullopt;
  return JobReason{
      .rule = JobRule::kBadGpuRequest, .task = task, .name = bad.front().first, .of = bad.front().second};
}

std::optional<JobReason> Obstacles::larger_than_any_node(TaskId task) {
  const ShapeId id = cluster_.task(task).shape;
  if (no_larger_.contains(id)) return std::nullopt;
  const Shape& shape = cluster_.shape(id);
  if (auto reason = larger(task, kGpu, shape.gpu_units())) return reason;
  for (const Amount& a : shape.request)
    if (auto reason = larger(task, a.kind, a.units)) return reason;
  no_larger_.insert(id);
  return std::nullopt;
}

std::optional<JobReason> Obstacles::larger(TaskId task, Kind kind, std::int64_t requested) {
  if (requested <= largest(kind)) return std::nullopt;
  return JobReason{.rule = JobRule::kLargerThanAnyNode,
                   .wanted = static_cast<double>(requested),
                   .bound = static_cast<double>(largest(kind)),
                   .kind = kind,
                   .task = task};
}

// Computed when a kind is first asked for.
std::int64_t Obstacles::largest(Kind kind) {
  if (largest_.empty()) largest_.assign(cluster_.kinds().size(), kUnknown);
  if (largest_[kind] != kUnknown) return largest_[kind];
  largest_[kind] = 0;
  for (NodeId n : cluster_.nodes_by_name())
    largest_[kind] = std::max(largest_[kind], cluster_.allocatable().at(kind, n));
  return largest_[kind];
}

std::optional<JobReason> Obstacles::missing_config_map(TaskId task) const {
  for (const std::string& name : cluster_.shape_of(task).constraints.config_maps)
    if (!cluster_.has_config_map(cluster_.task(task).ns, name))
      return JobReason{.rule = JobRule::kConfigMapMissing, .task = task, .name = name};
  return std::nullopt;
}

}  // namespace muster::plugins
