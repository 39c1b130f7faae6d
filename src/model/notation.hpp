// Writes constraints as manifests and kubectl do.
#pragma once

#include <string>

#include "model/object_parts.hpp"

namespace muster {

struct Node;

// "dedicated=infra:NoSchedule"
std::string notation(const Taint& taint);
// "zone In [a, b]", "gpu Exists"; long value lists are truncated.
std::string notation(const Requirement& requirement);
// "zone In [a, b], disk Exists"
std::string notation(const NodeTerm& term);
// "app=web, tier In [a, b]"
std::string notation(const LabelSelector& selector);
// "app=web by kubernetes.io/hostname"
std::string notation(const PodAffinityTerm& term);
// "8080/TCP", "10.0.0.1:53/UDP"
std::string notation(const HostPort& port);

// The part of node selector and required affinity that the node does not meet: "nodeSelector gpu=h200",
// "affinity: zone In [a, b]"; "" if it meets all.
std::string unmet_notation(const Constraints& constraints, const Node& node);

}  // namespace muster
