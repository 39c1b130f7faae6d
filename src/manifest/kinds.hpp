// The kinds of objects that the model takes: where the API has them, how they are watched, who decodes them.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "model/objects.hpp"

namespace muster {

class Field;

// Optional: the kind may be absent from the server, or not ours to read. Never: comes from files only.
enum class Watch : std::uint8_t { kAlways, kOptional, kNever };

struct ObjectKind {
  std::string_view group, version, kind, plural;
  bool is_namespaced = true;
  void (*decode)(const Field& root, Object& into) = nullptr;
  Watch watch = Watch::kAlways;
  bool metadata_only = false;  // nothing but its metadata is decoded
  std::string_view field_selector = {};
  // Tried in turn where the server has no `version` of it.
  std::array<std::string_view, 2> older_versions = {};
};

// In the order in which they are watched.
std::span<const ObjectKind> object_kinds();
// Any version of the group will do: what is read has the same names in all of them. Null: none of ours.
const ObjectKind* find_kind(std::string_view group, std::string_view kind);
// One that there is.
const ObjectKind& kind_named(std::string_view kind);

}  // namespace muster
