// Fields of JSON objects that may be absent or of another type.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace muster::grouper {

using nlohmann::json;

// The member at a path such as "/spec/replicas", or null.
inline const json& at(const json& object, const char* path) {
  static const json null;
  const json::json_pointer pointer(path);
  return object.contains(pointer) ? object.at(pointer) : null;
}

inline std::string text(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}
inline std::string text_at(const json& object, const char* path) { return text(at(object, path)); }

inline std::optional<std::int64_t> count(const json& value) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0) return std::nullopt;
  return value.get<std::int64_t>();
}

// Keys contain slashes, so no path.
inline std::string entry(const json& object, const char* map, const std::string& key) {
  const json& entries = at(object, map);
  return entries.is_object() && entries.contains(key) ? text(entries.at(key)) : std::string();
}
inline std::string label(const json& object, const std::string& key) {
  return entry(object, "/metadata/labels", key);
}
inline std::string annotation(const json& object, const std::string& key) {
  return entry(object, "/metadata/annotations", key);
}

}  // namespace muster::grouper
