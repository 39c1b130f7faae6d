// KAI-Scheduler's own objects as configurations: what its operator makes of them for the scheduler.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/known_names.hpp"
#include "config/setting.hpp"

namespace muster {

// The operator's plugins and actions with the shard's changes, and its arguments as parameters. Of the
// Config, `config` has what read_kai_config() left there.
void read_shard(const Setting& root, const KnownNames& names, Config& config, std::vector<Error>& warnings);

// The part of a Config that reaches the scheduler. Returns where the operator says that Prometheus is, for
// shards that ask for it and do not say; "" where it does not.
std::string read_kai_config(const Setting& root, SchedulerParams& params);

// The `config` and `schedulerParams` of a snapshot. Go leaves out what is zero or false, and writes durations
// as numbers. What is not known is a warning: nobody wrote it by hand.
LoadedConfig read_snapshot_config(const Document& snapshot, const KnownNames& names);

}  // namespace muster
