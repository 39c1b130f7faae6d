// Decodes the affinity and tolerations of a pod.
#include <fmt/format.h>

#include "manifest/parts.hpp"
#include "manifest/pod_parts.hpp"

namespace muster {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void read_node_affinity(const Field& affinity, Constraints& constraints) {
  const Field required = affinity.object(kRequired);
  constraints.has_required_affinity = required.is_present();
  constraints.required_affinity = node_terms_of(required["nodeSelectorTerms"]);
}

PodAffinityTerm term_of(const Field& field) {
  PodAffinityTerm term;
  term.selector = label_selector_of(field.object("labelSelector"));
  term.topology_key = field["topologyKey"].text();
  term.namespaces = field["namespaces"].strings();
  term.namespace_selector = label_selector_of(field.object("namespaceSelector"));
  return term;
}

void read_pod_affinity(const Field& affinity, std::vector<PodAffinityTerm>& required,
                       std::vector<PodAffinityTerm>& preferred) {
  affinity[kRequired].each_object([&](const Field& term) { required.push_back(term_of(term)); });
  affinity[kPreferred].each_object([&](const Field& weighted) {
    const Field term = weighted.object("podAffinityTerm");
    preferred.push_back(term_of(term));
    preferred.back().weight = weighted["weight"].int32().value_or(0);
  });
}

bool is_exists(const Field& op) {
  const std::string_view name = op.text();
  if (name != "Exists" && name != "Equal" && !name.empty())
    op.fail(fmt::format("\"{}\" is not a valid toleration operator", name));
  return name == "Exists";
}

}  // namespace

void read_affinity(const Field& affinity, Constraints& constraints) {
  affinity.each_member([&](const Field& member) {
    if (member.key() == "nodeAffinity")
      read_node_affinity(member, constraints);
    else if (member.key() == "podAffinity")
      read_pod_affinity(member, constraints.pod_affinity, constraints.preferred_affinity);
    else if (member.key() == "podAntiAffinity")
      read_pod_affinity(member, constraints.pod_anti_affinity, constraints.preferred_anti_affinity);
  });
}

Toleration toleration_of(const Field& field) {
  return {.key = field["key"].string(),
          .value = field["value"].string(),
          .exists = is_exists(field["operator"]),
          .effect = taint_effect_of(field["effect"])};
}

void read_tolerations(const Field& tolerations, Constraints& constraints) {
  tolerations.each_object(
      [&](const Field& field) { constraints.tolerations.push_back(toleration_of(field)); });
}

}  // namespace muster
