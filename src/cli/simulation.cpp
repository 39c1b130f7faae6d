// Rounds of cycles over an embedded cluster.
#include "cli/simulation.hpp"

#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster::cli {

SimulationResult simulate(Cluster& cluster, const Policy& policy, const SimulationOptions& options) {
  SimulationResult result;
  EmbeddedCluster embedded;
  SearchMemory memory;
  const SteadyStopwatch stopwatch;
  TimePoint now = options.now;
  for (int cycle = 1; cycle <= options.cycles; ++cycle, now += options.interval) {
    result.rounds.push_back({cycle, now, run_cycle(cluster, policy, now, {&memory, &stopwatch})});
    embedded.carry_out(cluster, result.rounds.back().decisions, now);
    embedded.update(cluster, now);
  }
  return result;
}

}  // namespace muster::cli
