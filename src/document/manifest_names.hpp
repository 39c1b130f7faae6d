// Recognizes the names of manifests in directories and archives.
#pragma once

#include <string_view>

namespace muster {

// Accepts *.json, *.yaml and *.yml, also compressed: *.json.gz, *.yaml.zst. Hidden files are refused.
bool has_manifest_name(std::string_view path);
bool has_archive_name(std::string_view path);
// The path without .gz or .zst.
std::string_view without_packing_suffix(std::string_view path);

}  // namespace muster
