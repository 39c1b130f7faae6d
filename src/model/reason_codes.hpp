// Reason codes for programs.
#pragma once

#include <string_view>

#include "model/reasons.hpp"

namespace muster {

// A stable code: "OverLimit", "PodSchedulingErrors".
std::string_view code_of(JobRule rule);
std::string_view code_of(NodeRule rule);

}  // namespace muster
