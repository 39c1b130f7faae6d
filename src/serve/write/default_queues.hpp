// Where workloads go that name no queue: made once, in a cluster that has no queue at all.
#pragma once

#include "kube/async.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

// To be called when Queues have been listed.
kube::Async<void> make_default_queues(WriteParts parts);

}  // namespace muster::serve
