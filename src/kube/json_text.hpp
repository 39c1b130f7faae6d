// JSON as text for requests and files, whatever is in it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace muster::kube {

// Text from outside may hold bytes that are not UTF-8: they become U+FFFD instead of an exception. `indent`
// -1: all in one line.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace muster::kube
