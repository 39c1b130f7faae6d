// Advice for a job that its queue does not accept.
#pragma once

#include <optional>
#include <string>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::cli {

// Returns nullopt if the reason is not about such a queue.
std::optional<std::string> queue_hint(const Cluster& cluster, const Job& job, const JobReason& reason);

}  // namespace muster::cli
