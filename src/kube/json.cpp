// Reads members of JSON that may be missing or have another type.
#include "kube/json.hpp"

#include <charconv>

namespace muster::kube {

std::string_view text_at(Json object, std::string_view key) {
  std::string_view text;
  return object.at_key(key).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<std::int64_t> number_at(Json object, std::string_view key) {
  std::int64_t number = 0;
  if (object.at_key(key).get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

bool is_true_at(Json object, std::string_view key) {
  bool value = false;
  return object.at_key(key).get(value) == simdjson::SUCCESS && value;
}

std::optional<Json> part_at(Json object, std::string_view key) {
  Json part;
  if (object.at_key(key).get(part) != simdjson::SUCCESS) return std::nullopt;
  return part.is_object() || part.is_array() ? std::optional<Json>(part) : std::nullopt;
}

std::string key_of(Json metadata) {
  std::string key(text_at(metadata, "namespace"));
  key += '/';
  return key += text_at(metadata, "name");
}

std::uint64_t version_number(std::string_view version) {
  std::uint64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

std::uint64_t version_of(Json metadata) { return version_number(text_at(metadata, "resourceVersion")); }

}  // namespace muster::kube
