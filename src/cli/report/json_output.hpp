// The result of a simulation as JSON: the contract of `muster simulate --cycles`.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/report/timing.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

nlohmann::ordered_json to_json(const Cluster& cluster, const SimulationResult& result,
                               const std::optional<Timing>& timing);

}  // namespace muster::cli
