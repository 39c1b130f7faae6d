// What happened in each cycle, for people.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text_style.hpp"
#include "cli/simulation.hpp"

namespace muster::cli {

// A heading per cycle and a line per job that something happened to; cycles without are drawn together.
std::string rounds_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style);

}  // namespace muster::cli
