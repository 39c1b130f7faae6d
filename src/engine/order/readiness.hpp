// Which jobs a cycle considers at all, and why not the others.
#pragma once

#include <optional>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster {

// Nothing: the job takes part. Looks at nothing that placements of the cycle change, save the job's own
// tasks.
std::optional<JobReason> why_not_considered(const Cluster& cluster, JobId job);

}  // namespace muster
