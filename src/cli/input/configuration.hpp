// What snapshots among the files say beside their objects: the configuration of those who name none, and
// more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/kept_files.hpp"
#include "cli/input/scheduler_state.hpp"
#include "config/config.hpp"

namespace muster::cli {

// Of several snapshots the first that has it counts.
struct InSnapshots {
  std::optional<LoadedConfig> config;
  std::string file;  // that holds it
  SchedulerState state;
};
// Looks into the files, without reading those that are no snapshots.
InSnapshots look_for_snapshots(const std::vector<std::string>& paths, KeptFiles& files);

}  // namespace muster::cli
