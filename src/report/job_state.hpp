// The state of jobs after the last cycle, as both text and JSON report it.
#pragma once

#include <vector>

#include "answers/state.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "sim/rounds.hpp"

namespace muster::report {

// "Running", "Incomplete" (fewer pods run than the minimum), "Pending", "NotReady", "Releasing", "Finished",
// "NoPods".
const char* status_of(const Job& job);
using answers::is_waiting;
// The GPUs that its pods request, not counting pods that have ended. A request for GPU memory counts as a
// share of the GPU it runs on, or of the smallest GPU while the pod is pending.
double gpus_of(const Cluster& cluster, const Job& job);
// The fewest pods that satisfy the minimum of the job and of its sub groups.
std::int32_t minimum_pods(const Job& job);

// Jobs that have an object, by namespace and name.
std::vector<JobId> present_jobs(const Cluster& cluster);
// Jobs with waiting or gated pods, by namespace and name, with the reasons that the last cycle reported.
std::vector<WaitingJob> waiting_after(const Cluster& cluster, const Round& last);

}  // namespace muster::report
