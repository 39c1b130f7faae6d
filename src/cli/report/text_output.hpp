// The result of a simulation as text that a person likes to read.
#pragma once

#include <optional>
#include <string>

#include "cli/report/text_style.hpp"
#include "cli/report/timing.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

// The cycles, the queues, the jobs, who waits and why, how long it took, and a line that sums it up.
std::string to_text(const Cluster& cluster, const SimulationResult& result,
                    const std::optional<Timing>& timing, const TextStyle& style);

}  // namespace muster::cli
