// The kinds of objects that the model takes: their place in the API, how they are watched, and their
// decoders.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "model/objects.hpp"

namespace muster {

class Field;

// kOptional: the server may lack the kind or may not let us read it. kNever: the kind comes from files only.
enum class Watch : std::uint8_t { kAlways, kOptional, kNever };

struct ObjectKind {
  std::string_view group, version, kind, plural;
  bool is_namespaced = true;
  void (*decode)(const Field& root, Object& into) = nullptr;
  Watch watch = Watch::kAlways;
  bool metadata_only = false;  // only the metadata is decoded
  std::string_view field_selector = {};
  // Tried in this order if the server does not have `version`.
  std::array<std::string_view, 2> older_versions = {};
};

// All kinds, in the order in which they are watched.
std::span<const ObjectKind> object_kinds();
// Finds a kind in any version of the group, because the fields we read have the same names in all of them.
// Returns null if the kind is not in the table.
const ObjectKind* find_kind(std::string_view group, std::string_view kind);
// REQUIRES: the kind is in the table.
const ObjectKind& kind_named(std::string_view kind);

}  // namespace muster
