// The jobs, each with its queue, its pods and where they run.
#pragma once

#include <string>

#include "cli/report/text_style.hpp"

namespace muster::cli {

// In the order of the queue tree, then by priority and age.
std::string jobs_text(const Cluster& cluster, const TextStyle& style);

}  // namespace muster::cli
