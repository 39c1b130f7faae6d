// Writes JSON as text for requests and files, whatever bytes it contains.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace muster::kube {

// Bytes that are not UTF-8 are replaced by U+FFFD; nothing is thrown. With `indent` -1 the text is one line.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace muster::kube
