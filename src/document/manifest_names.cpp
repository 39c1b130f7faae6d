// Recognizes manifests by the suffix of their names.
#include "document/manifest_names.hpp"

namespace muster {

std::string_view without_packing_suffix(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".zst"})
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  return path;
}

bool has_manifest_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view plain = without_packing_suffix(name);
  return !name.starts_with('.') &&
         (plain.ends_with(".json") || plain.ends_with(".yaml") || plain.ends_with(".yml"));
}

bool has_archive_name(std::string_view path) { return path.ends_with(".zip"); }

}  // namespace muster
