// Translates the configuration to a policy and to options for reading objects.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"

namespace muster::policy {

// The plugins and actions that a configuration may name.
KnownNames known_names();
ClusterOptions cluster_options(const SchedulerParams& params);
// Appends invalid arguments of plugins and actions to `errors`.
Policy make_policy(const Config& config, std::vector<Error>& errors);
// Whether the plugin minruntime resolves the minimum runtime against reclaim from the lowest common ancestor
// of both queues, and not from the victim's queue.
bool reclaims_by_lca(const Config& config);
// "plugin snapshot is not in this version and is skipped", or "". Considers only plugins named in a file.
std::string skipped_text(const Config& config);
// Returns a note if the configuration names a source of past usage that only `serve` uses, else "".
std::string usage_text(const Config& config);

}  // namespace muster::policy
