// From the configuration to a policy and to the way objects are read.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"

namespace muster::cli {

// What a configuration may name.
KnownNames known_names();
ClusterOptions cluster_options(const SchedulerParams& params);
// Bad arguments of plugins and actions are appended to `errors`.
Policy make_policy(const Config& config, std::vector<Error>& errors);
// How the plugin minruntime finds the minimum runtime that counts against a reclaim.
bool reclaims_by_lca(const Config& config);
// "plugin snapshot is not in this version and is skipped", or "". Only of plugins that a file names.
std::string skipped_text(const Config& config);
// That files are the only source of past use but for `serve`, or "" where the configuration names no other.
std::string usage_text(const Config& config);

}  // namespace muster::cli
