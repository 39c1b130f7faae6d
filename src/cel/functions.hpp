// What expressions can call.
#pragma once

#include <span>
#include <string>

#include "cel/value.hpp"

namespace muster::cel {

Value call_function(const std::string& name, std::span<const Value> arguments);
Value call_method(const std::string& name, const Value& target, std::span<const Value> arguments);
Value apply_operator(const std::string& sign, const Value& left, const Value& right);

}  // namespace muster::cel
