// Writes YAML scalars as JSON, by the rules of YAML 1.1 as Kubernetes applies them.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// Appends the text as a JSON string.
void append_json_string(std::string& json, std::string_view text);

// Appends a plain (unquoted) scalar: null, a truth value, a number in any base, or otherwise a string. Values
// that JSON cannot represent (.inf, .nan) become strings.
void append_plain_scalar(std::string& json, std::string_view text);

}  // namespace muster
