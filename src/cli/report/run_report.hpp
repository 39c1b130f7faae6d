// What `muster simulate --until` prints: the outcome of one run over simulated time, or of several side by
// side.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/report/report.hpp"
#include "cli/report/text_style.hpp"
#include "sim/run_outcome.hpp"
#include "sim/timed_cluster.hpp"

namespace muster::cli {

// Queues, the cluster, who never started and why, and a line that sums it up.
Text run_text(const RunOutcome& outcome, const TextStyle& style);
// muster.dev/simulation/v1: docs/json.md.
void write_run_json(const RunOutcome& outcome, const Write& write);

// The same load under several configurations.
struct ComparedRun {
  std::string config;  // its file; "": the default configuration
  RunOutcome outcome;
};
// One number of each run, and how many times the first the last is.
struct Difference {
  std::string metric;                         // "waitSeconds.p95", "queues.research.gpuSeconds.lost"
  std::vector<std::optional<double>> values;  // nothing: the run has none
  std::optional<double> ratio;                // nothing: one of the two is missing, or the first is zero
};
std::vector<Difference> differences_between(std::span<const ComparedRun> runs);

Text comparison_text(std::span<const ComparedRun> runs, const TextStyle& style);
// muster.dev/comparison/v1.
void write_comparison_json(std::span<const ComparedRun> runs, const Write& write);

// A line of a record.
std::string record_line(const Occurrence& occurrence);

}  // namespace muster::cli
