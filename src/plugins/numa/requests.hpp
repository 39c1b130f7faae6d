// What a pod requests from the zones of a node: which of its amounts are aligned there, and which of them
// together.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.hpp"
#include "plugins/numa/zones.hpp"

namespace muster::plugins {

// True for resources that are aligned only for pods of class Guaranteed. Devices are aligned for all pods.
bool is_for_guaranteed_only(const std::string& resource);

std::int64_t units_of(const std::vector<NamedAmount>& amounts, const std::string& name);

// True if something the pod requests would be aligned on such a node.
bool is_aligned(const KindTable& kinds, const Shape& shape, const NodeZones& zones);

ZoneRequests requests_of(const KindTable& kinds, const Shape& shape, const NodeZones& zones);

}  // namespace muster::plugins
