// What `muster simulate` prints: all that its rounds decided, as text for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/text_style.hpp"
#include "cli/simulate/rounds.hpp"

namespace muster::cli {

// What a run cost.
struct Timing {
  double read_ms = 0, cpu_ms = 0, peak_rss_mb = 0;
};

// Processor time and memory of this process so far.
Timing timing_of_process(double read_ms);

// Opening and actions of all rounds together; other decisions are not in it.
Decisions summed_stats(const std::vector<Round>& rounds);

// The cycles, the queues, the jobs, who waits and why, how long it took, and a line that sums it up.
std::string to_text(const Cluster& cluster, const std::vector<Round>& rounds,
                    const std::optional<Timing>& timing, const TextStyle& style);
// The contract of `muster simulate -o json`.
std::string to_json(const Cluster& cluster, const std::vector<Round>& rounds,
                    const std::optional<Timing>& timing);

}  // namespace muster::cli
