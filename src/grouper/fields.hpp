// Reads fields of JSON objects that may be absent or of another type.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace muster::grouper {

using nlohmann::json;

// The member at a path such as "/spec/replicas", or null.
const json& at(const json& object, const char* path);
const json& at(const json&& object, const char* path) = delete;  // the member would dangle
// Returns "" if the member is not a string.
std::string text_at(const json& object, const char* path);
// A number of zero or more.
std::optional<std::int64_t> count_at(const json& object, const char* path);
// "apps" of "apps/v1"; "" of "v1".
std::string api_group_of(std::string_view api_version);
std::string label(const json& object, const std::string& key);
std::string annotation(const json& object, const std::string& key);

}  // namespace muster::grouper
