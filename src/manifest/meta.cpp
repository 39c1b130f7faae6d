// Reads metadata in one pass over its members.
#include "manifest/meta.hpp"

#include <algorithm>

namespace muster {
namespace meta_detail {

void known_member(const Field& member, Meta& meta) {
  const std::string_view key = member.key();
  if (key == "name")
    meta.name = member.text();
  else if (key == "namespace")
    meta.ns = member.text();
  else if (key == "uid")
    meta.uid = member.text();
  else if (key == "creationTimestamp")
    meta.created = member.time().value_or(member.now());
  else if (key == "labels")
    meta.labels = labels_of(member);
}

void finish(const Field& metadata, Meta& meta) {
  const Scope scope = metadata.scope();
  if (meta.name.empty()) metadata["name"].fail("is missing");
  if (scope == Scope::kCluster)
    meta.ns.clear();
  else if (meta.ns.empty())
    meta.ns = "default";
  if (meta.uid.empty()) meta.uid = scope == Scope::kCluster ? meta.name : meta.ns + '/' + meta.name;
}

}  // namespace meta_detail

OwnerReference first_owner(const Field& owners) {
  OwnerReference first;
  owners.each_object([&](const Field& owner) {
    if (first.kind.empty()) first = {owner["kind"].string(), owner["name"].string(), owner["uid"].string()};
  });
  return first;
}

Labels labels_of(const Field& map) {
  Labels labels;
  map.each_member([&](const Field& label) { labels.emplace_back(label.key(), label.text()); });
  if (!std::is_sorted(labels.begin(), labels.end())) std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace muster
