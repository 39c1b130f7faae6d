// The result of a simulation as JSON: the contract of `muster simulate --cycles`.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/simulation.hpp"

namespace muster::cli {

struct Timing {
  double read_ms = 0, cpu_ms = 0, peak_rss_mb = 0;
};

nlohmann::ordered_json to_json(const Cluster& cluster, const SimulationResult& result,
                               const std::optional<Timing>& timing);

}  // namespace muster::cli
