// The queues as an indented tree with what they may, hold and want.
#pragma once

#include <string>

#include "cli/report/text_style.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

// Fair share and what is wanted as the last cycle computed them; in use as it stands now. GPUs always; CPU
// and memory where some queue has a bound on them, or the style is wide.
std::string queues_text(const Cluster& cluster, const SimulationResult& result, const TextStyle& style);

}  // namespace muster::cli
