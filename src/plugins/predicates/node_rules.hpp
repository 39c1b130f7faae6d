// Rules that depend on the shape and the node object alone; placed pods do not change the answer.
#pragma once

#include <optional>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

// The charge for a GPU memory request depends on the node; all other requests are checked before any node is
// considered.
inline bool is_by_memory(const Shape& shape) { return shape.gpu.type == GpuRequestType::kGpuMemory; }

// The first rule that keeps the shape off the node: type, condition, taints, node affinity.
std::optional<NodeRule> broken_rule(const Shape& shape, const Node& node);

// True if the shape requests more memory than one device of the node has. KAI treats memory of two whole
// devices as a share of one.
bool is_larger_than_device(const Shape& shape, const Node& node);

bool lacks_role(const ClusterOptions& options, const Shape& shape, const Node& node);

// Fills in what a refusal by these rules is about: the taint, the term, the label or the memory.
void name_by_node(const ClusterOptions& options, const Shape& shape, const Node& node, NodeRefusal& refusal);

}  // namespace muster::plugins
