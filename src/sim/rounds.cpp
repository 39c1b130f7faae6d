// Runs several cycles in sequence. Results of searches and of device selectors are kept from one cycle to the
// next.
#include "sim/rounds.hpp"

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/selector_results.hpp"
#include "engine/search/search_memory.hpp"
#include "model/holders.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster {

Round run_rounds(Cluster& cluster, const Policy& policy, const RoundOptions& options,
                 const OnRound& on_round) {
  EmbeddedCluster embedded;
  SearchMemory memory;
  SelectorResults selector_results;
  const SteadyStopwatch stopwatch;
  Round round{.cycle = 0, .now = options.now, .decisions = {}};
  for (bool goes_on = true; goes_on && round.cycle < options.cycles;) {
    if (++round.cycle > 1) round.now += options.interval;
    round.decisions = run_cycle(cluster, policy, round.now, {&memory, &stopwatch, &selector_results});
    name_holders(cluster, round.decisions.waiting);
    goes_on = on_round(round);
    embedded.carry_out(cluster, round.decisions, round.now);
    embedded.update(cluster, round.now);
  }
  return round;
}

}  // namespace muster
