// Where workloads go that name no queue: made once, in a cluster that has no queue at all.
#pragma once

#include <string>
#include <vector>

#include "kube/async.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

// To be called when Queues have been listed. `queues` as JSON, parents first; none: those that KAI-Scheduler
// ships.
kube::Async<void> make_default_queues(WriteParts parts, std::vector<std::string> queues);

}  // namespace muster::serve
