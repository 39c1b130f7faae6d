// Names, times and labels of all objects.
#pragma once

#include <utility>

#include "manifest/field.hpp"

namespace muster {

namespace meta_detail {
void known_member(const Field& member, Meta& meta);
void finish(const Field& metadata, Meta& meta);
}  // namespace meta_detail

Labels labels_of(const Field& map);  // sorted by key
OwnerReference first_owner(const Field& owners);

// Fills `meta`, with defaults for fields that a manifest may omit. Calls `other(const Field&)` for members
// that only some kinds use: annotations, deletionTimestamp, ownerReferences.
template <class Other>
void read_meta(const Field& root, Meta& meta, Other&& other) {
  const Field metadata = root.object("metadata");
  meta.created = root.now();
  metadata.each_member([&](const Field& member) {
    const std::string_view key = member.key();
    if (key == "annotations" || key == "deletionTimestamp" || key == "ownerReferences")
      other(member);
    else
      meta_detail::known_member(member, meta);
  });
  meta_detail::finish(metadata, meta);
}

inline void read_meta(const Field& root, Meta& meta) {
  read_meta(root, meta, [](const Field&) {});
}

}  // namespace muster
