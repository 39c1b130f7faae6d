// Matching of selectors, tolerations and host ports by the rules of Kubernetes, on plain objects.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/node.hpp"
#include "model/objects.hpp"

namespace muster {

// Matches a requirement against a value; null means that the key is absent. Gt and Lt compare integers and
// need exactly one bound.
bool matches(const Requirement& requirement, const std::string* value);
bool matches(const LabelSelector& selector, const Labels& labels);

// Whether any term matches; false if there are no terms.
bool matches_any(std::span<const NodeTerm> terms, const Node& node);
// Whether node selector and required node affinity match.
bool selects(const Constraints& constraints, const Node& node);

bool tolerates(const Toleration& toleration, const Taint& taint);
// Whether all taints that keep pods away (NoSchedule, NoExecute) are tolerated.
bool tolerates_all(std::span<const Toleration> tolerations, std::span<const Taint> taints);
// The first such taint that is not tolerated, or null.
const Taint* not_tolerated(std::span<const Toleration> tolerations, std::span<const Taint> taints);

bool collide(const HostPort& a, const HostPort& b);
bool collide(std::span<const HostPort> a, std::span<const HostPort> b);
// The first port of `a` that collides with `b`, or null.
const HostPort* colliding(std::span<const HostPort> a, std::span<const HostPort> b);

}  // namespace muster
