// From the configuration to a policy and to the way objects are read.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"

namespace muster::cli {

ClusterOptions cluster_options(const SchedulerParams& params);
// Bad arguments of plugins and actions are appended to `errors`.
Policy make_policy(const Config& config, std::vector<Error>& errors);
// "actions reclaim, preempt and plugin numa are not in this version and are skipped", or "".
std::string skipped_text(const Config& config);

}  // namespace muster::cli
