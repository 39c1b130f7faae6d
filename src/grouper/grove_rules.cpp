// Grove: the operator's PodGang says which pods start together and how close; the group is made for it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grouper/fields.hpp"
#include "grouper/rules.hpp"

namespace muster::grouper {
namespace {

constexpr const char* kGangLabel = "grove.io/podgang";

std::string topology_named_by(const json& gang) {
  const std::string name = annotation(gang, "grove.io/topology-name");
  return name.empty() ? annotation(gang, "kai.scheduler/topology") : name;
}

// The constraint of a part of the gang; {} if it has none.
Result<json> pack_constraint(const json& part, const std::string& topology, const std::string& path) {
  const std::string required = text_at(part, "/topologyConstraint/packConstraint/required");
  const std::string preferred = text_at(part, "/topologyConstraint/packConstraint/preferred");
  if (required.empty() && preferred.empty()) return json::object();
  if (topology.empty())
    return Error{"names a level, but annotation grove.io/topology-name is missing",
                 {.path = path + "topologyConstraint.packConstraint"}};
  json constraint = {{"topology", topology}};
  if (!required.empty()) constraint["requiredTopologyLevel"] = required;
  if (!preferred.empty()) constraint["preferredTopologyLevel"] = preferred;
  return constraint;
}

// Groups that stay close together, and the group of each member by the member's name.
struct Parents {
  json groups = json::array();
  std::map<std::string, std::string> of;
};

Result<Parents> parents_in(const json& gang, const std::string& topology) {
  Parents parents;
  const json& configs = at(gang, "/spec/topologyConstraintGroupConfigs");
  for (std::size_t i = 0; configs.is_array() && i < configs.size(); ++i) {
    const std::string name = text_at(configs[i], "/name");
    const json& members = at(configs[i], "/podGroupNames");
    if (!members.is_array() || members.empty()) continue;
    const std::string path = fmt::format("spec.topologyConstraintGroupConfigs[{}].", i);
    if (name.empty()) return Error{"is missing", {.path = path + "name"}};
    const auto constraint = pack_constraint(configs[i], topology, path);
    if (!constraint) return constraint.error();
    json group = {{"name", name}};
    if (!constraint->empty()) group["topologyConstraint"] = *constraint;
    parents.groups.push_back(std::move(group));
    for (const json& member : members)
      if (member.is_string()) parents.of[member.get<std::string>()] = name;
  }
  return parents;
}

Result<json> leaf_of(const json& part, const std::string& topology, const std::string& path) {
  const std::string name = text_at(part, "/name");
  if (name.empty()) return Error{"is missing", {.path = path + "name"}};
  const auto minimum = count_at(part, "/minReplicas");
  if (!minimum || *minimum == 0) return Error{"must be at least 1", {.path = path + "minReplicas"}};
  const auto constraint = pack_constraint(part, topology, path);
  if (!constraint) return constraint.error();
  return leaf(name, *minimum, *constraint);
}

bool refers_to(const json& part, const std::string& ns, const std::string& pod) {
  const json& references = at(part, "/podReferences");
  return references.is_array() && std::ranges::any_of(references, [&](const json& reference) {
           return text_at(reference, "/name") == pod && text_at(reference, "/namespace") == ns;
         });
}

}  // namespace

std::optional<Related> grove_gang(const Member& member) {
  return Related{.api_version = "scheduler.grove.io/v1alpha1",
                 .kind = "PodGang",
                 .name = label(member.pod, kGangLabel),
                 .labels = {}};
}

Result<const json*> grove_subject(const Member& member) {
  const std::string name = label(member.pod, kGangLabel);
  if (name.empty()) return Error{fmt::format("label {} of the pod: is missing", kGangLabel)};
  if (!member.related.is_object()) return Error{fmt::format("PodGang \"{}\" does not exist", name)};
  return &member.related;
}

Result<json> grove_shape(const Member& member) {
  const json& gang = member.related;
  const std::string topology = topology_named_by(gang);
  auto parents = parents_in(gang, topology);
  if (!parents) return parents.error();
  const json& parts = at(gang, "/spec/podgroups");
  if (!parts.is_array() || parts.empty()) return Error{"spec.podgroups: is missing"};
  if (parts.size() > kMostSubGroups) return Error{"spec.podgroups: more than 10000"};
  json groups = std::move(parents->groups);
  auto top = static_cast<std::int64_t>(groups.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto group = leaf_of(parts[i], topology, fmt::format("spec.podgroups[{}].", i));
    if (!group) return group.error();
    const auto parent = parents->of.find(text_at(*group, "/name"));
    if (parent != parents->of.end())
      (*group)["parent"] = parent->second;
    else
      ++top;
    groups.push_back(std::move(*group));
  }
  json shape = {{"minSubGroup", top}, {"subGroups", std::move(groups)}};
  const auto constraint = pack_constraint(at(gang, "/spec"), topology, "spec.");
  if (!constraint) return constraint.error();
  if (!constraint->empty()) shape["topologyConstraint"] = *constraint;
  return shape;
}

std::string grove_sub_group(const Member& member) {
  const std::string ns = text_at(member.pod, "/metadata/namespace");
  const json& parts = at(member.related, "/spec/podgroups");
  for (std::size_t i = 0; parts.is_array() && i < parts.size(); ++i)
    if (refers_to(parts[i], ns, text_at(member.pod, "/metadata/name"))) return text_at(parts[i], "/name");
  return label(member.pod, "grove.io/podclique");
}

// A label of the gang or the workload takes precedence.
std::string grove_class(const Member& member) {
  for (const json* object : {&member.related, &member.workload})
    if (!label(*object, "priorityClassName").empty()) return "";
  return text_at(member.related, "/spec/priorityClassName");
}

}  // namespace muster::grouper
