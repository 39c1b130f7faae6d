// YAML scalars as JSON text, by the rules of YAML 1.1 as Kubernetes applies them.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// Appends the text as a JSON string.
void append_json_string(std::string& json, std::string_view text);

// Appends a plain (unquoted) scalar: null, a truth value, a number in any base, else a string. What JSON
// cannot hold (.inf, .nan) stays a string.
void append_plain_scalar(std::string& json, std::string_view text);

}  // namespace muster
