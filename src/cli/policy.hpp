// From the configuration to a policy and to the way objects are read.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "engine/policy.hpp"
#include "model/cluster.hpp"

namespace muster::cli {

ClusterOptions cluster_options(const SchedulerParams& params);
// Bad arguments of plugins and actions are appended to `errors`.
Policy make_policy(const Config& config, std::vector<Error>& errors);

}  // namespace muster::cli
