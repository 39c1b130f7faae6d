// Does a selector match, a toleration cover, a port collide? The rules of Kubernetes on plain objects.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/node.hpp"
#include "model/objects.hpp"

namespace muster {

// A requirement on one value; null: the key is absent. Gt and Lt compare whole numbers and want exactly one
// bound.
bool matches(const Requirement& requirement, const std::string* value);
bool matches(const LabelSelector& selector, const Labels& labels);

// One of the terms matches; no term matches nothing.
bool matches_any(std::span<const NodeTerm> terms, const Node& node);
// Node selector and required node affinity.
bool selects(const Constraints& constraints, const Node& node);

bool tolerates(const Toleration& toleration, const Taint& taint);
// All taints that keep pods away (NoSchedule, NoExecute) are tolerated.
bool tolerates_all(std::span<const Toleration> tolerations, std::span<const Taint> taints);
// The first of them that is not; null: all are.
const Taint* not_tolerated(std::span<const Toleration> tolerations, std::span<const Taint> taints);

bool collide(const HostPort& a, const HostPort& b);
bool collide(std::span<const HostPort> a, std::span<const HostPort> b);
// The first of `a` that does; null: none.
const HostPort* colliding(std::span<const HostPort> a, std::span<const HostPort> b);

}  // namespace muster
