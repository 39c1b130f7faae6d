// What a shape and a node object say to each other by themselves: nothing that is placed changes the answer.
#pragma once

#include <optional>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

// What such a request is charged depends on the node; all others are judged before nodes are looked at.
inline bool is_by_memory(const Shape& shape) { return shape.gpu.type == GpuRequestType::kGpuMemory; }

// The first rule that keeps the shape off the node: type, condition, taints, node affinity.
std::optional<NodeRule> broken_rule(const Shape& shape, const Node& node);

// For KAI, memory of two whole devices is a share of one.
bool is_larger_than_device(const Shape& shape, const Node& node);

bool lacks_role(const ClusterOptions& options, const Shape& shape, const Node& node);

// What a refusal by these rules is about: the taint, the term, the label, the memory.
void name_by_node(const ClusterOptions& options, const Shape& shape, const Node& node, NodeRefusal& refusal);

}  // namespace muster::plugins
