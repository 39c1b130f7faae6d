// Who waits and why, for people.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text_style.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

// A paragraph per reason; jobs that wait for the same one share it.
std::string waiting_text(const Cluster& cluster, const SimulationResult& result,
                         const std::vector<WaitingJob>& waiting, const TextStyle& style);

}  // namespace muster::cli
