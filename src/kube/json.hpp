// Reads members of JSON that may be missing or have another type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/json.hpp"

namespace muster::kube {

// Returns the member as text; "" if it is missing or not a string.
std::string_view text_at(Json object, std::string_view key);
std::optional<std::int64_t> number_at(Json object, std::string_view key);
bool is_true_at(Json object, std::string_view key);
// Returns the member if it is an object or an array.
std::optional<Json> part_at(Json object, std::string_view key);
// Follows several keys from the outside in.
template <class... Keys>
std::optional<Json> part_at(Json object, std::string_view key, Keys... keys) {
  const auto part = part_at(object, key);
  return part ? part_at(*part, keys...) : std::nullopt;
}

// Returns "ns/name" from the metadata of an object; "/name" if it has no namespace.
std::string key_of(Json metadata);
// Resource versions of one kind grow and can be compared as numbers. Returns 0 if there is none.
std::uint64_t version_number(std::string_view version);
std::uint64_t version_of(Json metadata);

template <class Use>
void each_item(std::optional<Json> list, Use&& use) {
  simdjson::dom::array items;
  if (!list || list->get(items) != simdjson::SUCCESS) return;
  for (const Json item : items) use(item);
}

}  // namespace muster::kube
