// How jobs stand after the last cycle: what text and JSON both tell.
#pragma once

#include <vector>

#include "answers/state.hpp"
#include "cli/simulate/rounds.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::cli {

// "Running", "Incomplete" (some run, too few), "Pending", "NotReady", "Releasing", "Finished", "NoPods".
const char* status_of(const Job& job);
using answers::is_waiting;
// GPUs that its pods ask for, those that have ended aside. Memory counts as the share of the GPU that has it,
// or before there is one, of the smallest.
double gpus_of(const Cluster& cluster, const Job& job);
// The fewest pods with which the job is whole.
std::int32_t minimum_pods(const Job& job);

// Jobs that have an object, by namespace and name.
std::vector<JobId> present_jobs(const Cluster& cluster);
// Jobs with waiting or gated pods, by namespace and name, with what the last cycle said of them.
std::vector<WaitingJob> waiting_after(const Cluster& cluster, const Round& last);

}  // namespace muster::cli
