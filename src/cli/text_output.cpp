// Tables.
#include "cli/text_output.hpp"

#include <fmt/format.h>

namespace muster::cli {

void print_text(const Cluster& cluster, const SimulationResult& result, const std::optional<Timing>&) {
  for (const Round& round : result.rounds)
    for (const BindDecision& b : round.decisions.binds)
      fmt::print("bind {} {}\n", cluster.task(b.task).full_name(), cluster.node(b.node).name);
}

}  // namespace muster::cli
