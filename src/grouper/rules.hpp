// The rules of single kinds, for the table in workload_rules.cpp, and their shared parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "grouper/workload_rules.hpp"

namespace muster::grouper {

// A PodGroup with more sub groups is refused as a mistake.
inline constexpr std::int64_t kMostSubGroups = 10'000;

// Parses a count; returns nothing if the text is not one.
std::optional<std::int64_t> number(const std::string& text);
// Limits a count to the largest value of the API.
std::int64_t bounded(std::int64_t count);
// A leaf group with its minimum; a null constraint is left out.
json leaf(const std::string& name, std::int64_t minimum, const json& topology = nullptr);
// The constraint in the annotations, or {} if there is none.
json topology_asked_by(const json& object);
// The topology of worker segments, from annotations of the pod, then of its template, then (for the topology
// name) of the workload.
json segment_topology(const Member& member, const json& worker_template);

Result<json> pytorch_shape(const Member& member);
std::string pytorch_role(const Member& member);
Result<json> tensorflow_shape(const Member& member);
Result<json> xgboost_shape(const Member& member);
Result<json> jax_shape(const Member& member);
Result<json> mpi_shape(const Member& member);
std::optional<Related> mpi_launchers(const Member& member);

Result<json> ray_shape(const Member& member);
std::string ray_sub_group(const Member& member);
std::string ray_class(const Member& member);

Result<json> leader_worker_shape(const Member& member);
std::string leader_worker_sub_group(const Member& member);
std::string leader_worker_name(const Member& member, const std::string& usual);

Result<json> grove_shape(const Member& member);
std::string grove_sub_group(const Member& member);
std::string grove_class(const Member& member);
std::optional<Related> grove_gang(const Member& member);
Result<const json*> grove_subject(const Member& member);

}  // namespace muster::grouper
