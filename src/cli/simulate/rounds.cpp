// Several cycles one after the other; what a search learned in one is kept for the next.
#include "cli/simulate/rounds.hpp"

#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster::cli {

std::vector<Round> run_rounds(Cluster& cluster, const Policy& policy, const RoundOptions& options) {
  std::vector<Round> rounds;
  EmbeddedCluster embedded;
  SearchMemory memory;
  const SteadyStopwatch stopwatch;
  TimePoint now = options.now;
  for (int cycle = 1; cycle <= options.cycles; ++cycle, now += options.interval) {
    rounds.push_back({cycle, now, run_cycle(cluster, policy, now, {&memory, &stopwatch})});
    embedded.carry_out(cluster, rounds.back().decisions, now);
    embedded.update(cluster, now);
  }
  return rounds;
}

}  // namespace muster::cli
