// Rounds of cycles over an embedded cluster, and what is told about them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "manifest/manifest.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::cli {

struct SimulationOptions {
  int cycles = 1;
  TimePoint now{};
  Duration interval{};
};

// A decision names objects that a later round may change, so what is told is kept in words.
struct Round {
  int cycle = 0;
  TimePoint now{};
  Decisions decisions;
};

struct SimulationResult {
  std::vector<Round> rounds;
};

SimulationResult simulate(Cluster& cluster, const Policy& policy, const SimulationOptions& options);

}  // namespace muster::cli
