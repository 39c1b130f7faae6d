// Evaluation of trees, and of the parts of them that give the same on every device.
#pragma once

#include "cel/expression.hpp"
#include "cel/steps.hpp"
#include "cel/syntax.hpp"

namespace muster::cel {

Value value_of(const Node& node, const Device& device, Steps& steps);

// Replaces the parts that do not depend on the device by their values, as long as there are steps left. A
// part that fails becomes a literal failure, which counts only where && || and ?: get to it.
void fold_constants(Node& root, Steps& steps);

}  // namespace muster::cel
