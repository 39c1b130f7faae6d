// Finds the lines of the requested objects while the files are read again.
#include "loader/object_places.hpp"

#include <fmt/format.h>

#include "document/document.hpp"
#include "document/json.hpp"
#include "manifest/kinds.hpp"

namespace muster::loader {
namespace {

std::string_view metadata_text(const Document& document, std::string_view pointer) {
  std::string_view text;
  return document.root().at_pointer(pointer).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

bool is_namespaced(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const ObjectKind* const known =
      find_kind(slash == std::string_view::npos ? "" : api_version.substr(0, slash), kind);
  return known == nullptr || known->is_namespaced;
}

std::string where_text(const std::string& file, int line) {
  return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

}  // namespace

std::string object_name(const Document& document) {
  if (!document.root().is_object() || document.kind().empty()) return "";
  const std::string_view name = metadata_text(document, "/metadata/name");
  return name.empty() ? "" : object_name(document, name);
}

std::string object_name(const Document& document, std::string_view name) {
  if (!is_namespaced(document.api_version(), document.kind()))
    return fmt::format("{} {}", document.kind(), name);
  const std::string_view ns = metadata_text(document, "/metadata/namespace");
  return fmt::format("{} {}/{}", document.kind(), ns.empty() ? "default" : ns, name);
}

void ObjectPlaces::note(const Document& document) {
  const auto found = wanted_.find(object_name(document));
  if (found == wanted_.end()) return;
  auto& [object, place] = *found;
  const int line = document.line_of("");
  if (place.is_found)
    repeated_.push_back({fmt::format("is already defined in {}; this later definition is used",
                                     where_text(place.file, place.line)),
                         {.file = document.file(), .line = line, .object = object}});
  place.file = document.file();
  place.line = line;
  place.is_found = true;
  for (auto& [field, at] : place.lines) at = document.line_of(field);
}

Location ObjectPlaces::find(const std::string& object, const std::string& field) const {
  Location where{.object = object, .path = field};
  if (const auto found = wanted_.find(object); found != wanted_.end() && found->second.is_found) {
    const auto line = found->second.lines.find(field);
    where.file = found->second.file;
    where.line = line == found->second.lines.end() ? found->second.line : line->second;
  } else if (const auto made = made_.find(object); made != made_.end()) {
    where.file = made->second.file;
    where.line = made->second.line;
  }
  return where;
}

}  // namespace muster::loader
