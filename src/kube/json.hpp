// Reading members of JSON without caring whether they are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/json.hpp"

namespace muster::kube {

// The member as text; "" if there is none or it is something else.
std::string_view text_at(Json object, std::string_view key);
std::optional<std::int64_t> number_at(Json object, std::string_view key);
bool is_true_at(Json object, std::string_view key);
// The member, if it is an object or a list.
std::optional<Json> part_at(Json object, std::string_view key);
// Names of the parts from the outside in: part_at(part_at(…)).
template <class... Keys>
std::optional<Json> part_at(Json object, std::string_view key, Keys... keys) {
  const auto part = part_at(object, key);
  return part ? part_at(*part, keys...) : std::nullopt;
}

// Of an object's metadata: "ns/name", "/name" where it has no namespace.
std::string key_of(Json metadata);
// Resource versions of one kind grow and can be compared as numbers; 0 if there is none.
std::uint64_t version_number(std::string_view version);
std::uint64_t version_of(Json metadata);

template <class Use>
void each_item(std::optional<Json> list, Use&& use) {
  simdjson::dom::array items;
  if (!list || list->get(items) != simdjson::SUCCESS) return;
  for (const Json item : items) use(item);
}

}  // namespace muster::kube
