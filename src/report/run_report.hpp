// The output of `muster simulate --until`: the outcome of one run over simulated time, or a comparison of
// several runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "sim/run_outcome.hpp"
#include "sim/timed_cluster.hpp"
#include "terminal/text_style.hpp"

namespace muster::report {

// Prints the queues, the cluster, the jobs that never started with their reasons, and a summary line.
Text run_text(const RunOutcome& outcome, const TextStyle& style);
// Writes the schema muster.dev/simulation/v1, described in docs/json.md.
void write_run_json(const RunOutcome& outcome, const Write& write);

// One of several runs of the same load under different configurations.
struct ComparedRun {
  std::string config;  // file of the configuration; "": the default configuration
  RunOutcome outcome;
};
// One metric of all runs, and the ratio of the last run to the first.
struct Difference {
  std::string metric;                         // "waitSeconds.p95", "queues.research.gpuSeconds.lost"
  std::vector<std::optional<double>> values;  // nullopt: the run has no such value
  std::optional<double> ratio;                // nullopt: a value is missing, or the first is zero
};
std::vector<Difference> differences_between(std::span<const ComparedRun> runs);

Text comparison_text(std::span<const ComparedRun> runs, const TextStyle& style);
// Writes the schema muster.dev/comparison/v1.
void write_comparison_json(std::span<const ComparedRun> runs, const Write& write);

// One line of a record, including the line break.
std::string record_line(const Occurrence& occurrence);

}  // namespace muster::report
