// Reads from snapshots the parts that are not objects: the configuration, which is used unless another one is
// named, and the state of the scheduler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "loader/kept_files.hpp"
#include "loader/scheduler_state.hpp"

namespace muster::loader {

// If there are several snapshots, each part is taken from the first one that has it.
struct InSnapshots {
  std::optional<LoadedConfig> config;
  std::string file;  // that holds the configuration
  SchedulerState state;
};
// Scans the files, but parses only snapshots.
InSnapshots look_for_snapshots(const std::vector<std::string>& paths, KeptFiles& files);

}  // namespace muster::loader
