// The functions that expressions can call.
#pragma once

#include <span>
#include <string>

#include "cel/steps.hpp"
#include "cel/value.hpp"

namespace muster::cel {

// Calls take further steps if they are more work than looking once at their arguments and their result.
Value call_function(const std::string& name, std::span<const Value> arguments, Steps& steps);
Value call_method(const std::string& name, const Value& target, std::span<const Value> arguments,
                  Steps& steps);
Value apply_operator(const std::string& sign, const Value& left, const Value& right);

}  // namespace muster::cel
