// Reads KAI-Scheduler's own objects as its operator translates them for the scheduler.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/known_names.hpp"
#include "config/setting.hpp"

namespace muster {

// Reads the operator's plugins and actions with the changes of the shard, and the shard's arguments as
// parameters. REQUIRES: read_kai_config() has already filled `config` if there is a Config.
void read_shard(const Setting& root, const KnownNames& names, Config& config, std::vector<Error>& warnings);

// Reads the part of a Config that reaches the scheduler. Returns the address of Prometheus for shards that
// ask for it without giving one; "" if the Config has none.
std::string read_kai_config(const Setting& root, SchedulerParams& params);

// Reads the `config` and `schedulerParams` of a snapshot. Go omits values that are zero or false, and writes
// durations as numbers. Unknown keys are only warnings because a program wrote the file.
LoadedConfig read_snapshot_config(const Document& snapshot, const KnownNames& names);

}  // namespace muster
