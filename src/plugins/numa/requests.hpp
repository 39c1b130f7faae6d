// What a pod asks of the zones of a node: which of its amounts are aligned there, and which of them together.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.hpp"
#include "plugins/numa/zones.hpp"

namespace muster::plugins {

// Aligned for pods of class Guaranteed only; devices are for all.
bool is_for_guaranteed_only(const std::string& resource);

std::int64_t units_of(const std::vector<NamedAmount>& amounts, const std::string& name);

// Something of the pod would be aligned on such a node.
bool is_aligned(const KindTable& kinds, const Shape& shape, const NodeZones& zones);

ZoneRequests requests_of(const KindTable& kinds, const Shape& shape, const NodeZones& zones);

}  // namespace muster::plugins
