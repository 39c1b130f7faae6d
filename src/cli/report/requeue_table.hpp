// Who agreed to give way, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text_style.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

// Nothing where no job opted in.
std::string requeue_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style);

}  // namespace muster::cli
