// Reads fields by path; labels and annotations by key, because their keys contain slashes.
#include "grouper/fields.hpp"

#include <nlohmann/json.hpp>

namespace muster::grouper {
namespace {

std::string text(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

// Keys contain slashes, so they cannot be part of a path.
std::string entry(const json& object, const char* map, const std::string& key) {
  const json& entries = at(object, map);
  return entries.is_object() && entries.contains(key) ? text(entries.at(key)) : std::string();
}

}  // namespace

const json& at(const json& object, const char* path) {
  static const json null;
  const json::json_pointer pointer(path);
  return object.contains(pointer) ? object.at(pointer) : null;
}

std::string text_at(const json& object, const char* path) { return text(at(object, path)); }

std::optional<std::int64_t> count_at(const json& object, const char* path) {
  const json& value = at(object, path);
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0) return std::nullopt;
  return value.get<std::int64_t>();
}

std::string label(const json& object, const std::string& key) {
  return entry(object, "/metadata/labels", key);
}

std::string annotation(const json& object, const std::string& key) {
  return entry(object, "/metadata/annotations", key);
}

std::string api_group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == api_version.npos ? "" : std::string(api_version.substr(0, slash));
}

}  // namespace muster::grouper
