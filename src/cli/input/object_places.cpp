// Keeps the lines of the fields that checks speak of, by object.
#include "cli/input/object_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "document/json.hpp"

namespace muster::cli {
namespace {

struct KeptKind {
  std::string_view kind;
  bool is_namespaced;
  std::vector<std::string_view> pointers;  // of the fields whose lines are kept
};

const std::array<KeptKind, 4>& kept_kinds() {
  static const std::array<KeptKind, 4> kKinds{
      {{"Queue",
        false,
        {"/spec/parentQueue", "/spec/reclaimMinRuntime", "/spec/preemptMinRuntime", "/spec/resources",
         "/spec/resources/cpu", "/spec/resources/cpu/quota", "/spec/resources/cpu/limit",
         "/spec/resources/cpu/overQuotaWeight", "/spec/resources/memory", "/spec/resources/memory/quota",
         "/spec/resources/memory/limit", "/spec/resources/memory/overQuotaWeight", "/spec/resources/gpu",
         "/spec/resources/gpu/quota", "/spec/resources/gpu/limit", "/spec/resources/gpu/overQuotaWeight"}},
       {"PodGroup",
        true,
        {"/spec/queue", "/spec/subGroups", "/spec/preemptibility", "/spec/topologyConstraint"}},
       {"Pod",
        true,
        {"/metadata/annotations/pod-group-name", "/metadata/labels/kai.scheduler~1subgroup-name",
         "/spec/containers"}},
       {"Node", false, {}}}};
  return kKinds;
}

const KeptKind* kept_kind(std::string_view kind) {
  const auto found = std::ranges::find(kept_kinds(), kind, &KeptKind::kind);
  return found == kept_kinds().end() ? nullptr : &*found;
}

bool is_present(Json root, std::string_view pointer) {
  Json value;
  return root.at_pointer(pointer).get(value) == simdjson::SUCCESS && !value.is_null();
}

std::string string_at(Json root, std::string_view pointer) {
  std::string_view text;
  return root.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

// "/metadata/labels/kai.scheduler~1subgroup-name" is metadata.labels.kai.scheduler/subgroup-name.
std::string path_of(std::string_view pointer) {
  std::string path(pointer.substr(1));
  std::ranges::replace(path, '/', '.');
  for (std::size_t at = 0; (at = path.find("~1")) != std::string::npos;) path.replace(at, 2, "/");
  return path;
}

std::string object_of(const Document& document, const KeptKind& kept) {
  std::string name = string_at(document.root(), "/metadata/name");
  if (!kept.is_namespaced) return fmt::format("{} {}", kept.kind, name);
  const std::string ns = string_at(document.root(), "/metadata/namespace");
  return fmt::format("{} {}/{}", kept.kind, ns.empty() ? "default" : ns, name);
}

}  // namespace

void ObjectPlaces::note(const Document& document) {
  const KeptKind* kept = kept_kind(document.kind());
  if (kept == nullptr || !document.root().is_object()) return;
  Place place{.file = document.file(), .line = document.line_of(""), .fields = {}};
  for (const std::string_view pointer : kept->pointers) {
    const std::string path = path_of(pointer);
    if (is_present(document.root(), pointer)) place.fields[path] = document.line_of(path);
  }
  const std::string object = object_of(document, *kept);
  const auto [found, is_new] = places_.try_emplace(object, place);
  if (is_new) return;
  const Error earlier{"", {.file = found->second.file, .line = found->second.line}};
  std::string where = earlier.text();
  where.erase(where.find_last_not_of(": ") + 1);
  repeated_.push_back({fmt::format("was already given in {}; this one counts", where),
                       {.file = place.file, .line = place.line, .object = object}});
  found->second = std::move(place);
}

void ObjectPlaces::note_made(const std::string& object, const Location& where) {
  places_.try_emplace(object, Place{.file = where.file, .line = where.line, .fields = {}});
}

Location ObjectPlaces::find(const std::string& object, const std::string& field) const {
  Location where{.object = object, .path = field};
  const auto found = places_.find(object);
  if (found == places_.end()) return where;
  where.file = found->second.file;
  where.line = found->second.line;
  for (std::string path = field; !path.empty(); path.erase(std::min(path.rfind('.'), path.size()))) {
    const auto line = found->second.fields.find(path);
    if (line != found->second.fields.end()) return where.line = line->second, where;
    if (path.find('.') == std::string::npos) break;
  }
  return where;
}

bool ObjectPlaces::has_field(const std::string& object, const std::string& field) const {
  const auto found = places_.find(object);
  return found != places_.end() && found->second.fields.contains(field);
}

}  // namespace muster::cli
