// The output of `muster simulate`: the decisions of all rounds, as text for people or as JSON for programs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "report/selection.hpp"
#include "sim/rounds.hpp"
#include "terminal/text_style.hpp"

namespace muster::report {

// The resources that a run used.
struct Timing {
  double read_ms = 0, cpu_ms = 0, peak_rss_mb = 0;
};

// The CPU time and memory that this process has used so far.
Timing timing_of_process(double read_ms);

// Adds the timings and the action statistics of a cycle to `sum`. Other decisions are not added.
void add_stats(const Decisions& more, Decisions& sum);

struct ReportOptions {
  RoundOptions run;
  JobFilter filter;
  bool has_timing = false;
  TextStyle style = {};  // ignored for JSON
};

using Write = std::function<void(std::string_view)>;  // writes the bytes unchanged
using WriteText = std::function<void(const Text&)>;

// Receives the rounds one by one and keeps only what it will print.
class Report {
 public:
  virtual ~Report() = default;
  // Called with the decisions of a cycle before they are carried out.
  virtual void add(const Round& round) = 0;
  // Called after the last round has been carried out. If `last` is not the last round requested, the run was
  // interrupted.
  virtual void finish(const Round& last, const std::optional<Timing>& timing) = 0;
};

// Prints the cycles, the queues, the nodes, the jobs, the reasons of pending jobs, the timing and a summary
// line.
std::unique_ptr<Report> text_report(const Cluster& cluster, const ReportOptions& options, WriteText write);
// Writes the output of `muster simulate -o json`, specified in docs/json.md. Each round is written as soon as
// it has run.
std::unique_ptr<Report> json_report(const Cluster& cluster, const ReportOptions& options, Write write);

}  // namespace muster::report
