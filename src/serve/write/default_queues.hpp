// Creates the default queues, for workloads that name no queue, in a cluster without any queue.
#pragma once

#include <string>
#include <vector>

#include "kube/async.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

// REQUIRES: Queues have been listed. `queues` are JSON objects, parents first; if empty, the default queues
// of KAI-Scheduler are created.
kube::Async<void> make_default_queues(WriteServices parts, std::vector<std::string> queues);

}  // namespace muster::serve
