// The result of a simulation as tables that a person likes to read.
#pragma once

#include "cli/json_output.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

void print_text(const Cluster& cluster, const SimulationResult& result, const std::optional<Timing>& timing);

}  // namespace muster::cli
