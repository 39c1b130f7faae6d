// Which names of files are those of manifests, in directories and in archives.
#pragma once

#include <string_view>

namespace muster {

// *.json, *.yaml and *.yml; each may be compressed: *.json.gz, *.yaml.zst. Hidden files are none.
bool has_manifest_name(std::string_view path);
bool has_archive_name(std::string_view path);
// Without .gz or .zst.
std::string_view without_packing_suffix(std::string_view path);

}  // namespace muster
