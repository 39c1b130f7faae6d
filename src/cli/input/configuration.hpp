// The configuration of those who name none: that of the snapshots among their files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/kept_files.hpp"
#include "config/config.hpp"

namespace muster::cli {

// Looks into the files, without reading those that are no snapshots. Nothing where there is no configuration
// in them; of several the first counts.
std::optional<LoadedConfig> config_in_files(const std::vector<std::string>& paths, KeptFiles& files);

}  // namespace muster::cli
