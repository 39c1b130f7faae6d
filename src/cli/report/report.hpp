// What `muster simulate` prints: all that its rounds decided, as text for people and as JSON for programs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/report/selection.hpp"
#include "cli/report/text_style.hpp"
#include "cli/simulate/rounds.hpp"

namespace muster::cli {

// What a run cost.
struct Timing {
  double read_ms = 0, cpu_ms = 0, peak_rss_mb = 0;
};

// Processor time and memory of this process so far.
Timing timing_of_process(double read_ms);

// Adds opening and actions of a cycle; other decisions are not summed.
void add_stats(const Decisions& more, Decisions& sum);

struct ReportOptions {
  RoundOptions run;
  JobFilter filter;
  bool has_timing = false;
  TextStyle style = {};  // of text
};

using Write = std::function<void(std::string_view)>;  // exactly that
using WriteText = std::function<void(const Text&)>;

// Takes the rounds as they come and keeps of them only what it prints.
class Report {
 public:
  virtual ~Report() = default;
  // What a cycle decided, before it is carried out.
  virtual void add(const Round& round) = 0;
  // After the last round is carried out; one before the last that was asked for was cut short.
  virtual void finish(const Round& last, const std::optional<Timing>& timing) = 0;
};

// The cycles, the queues, the nodes, the jobs, who waits and why, how long it took, and a line that sums it
// up.
std::unique_ptr<Report> text_report(const Cluster& cluster, const ReportOptions& options, WriteText write);
// The contract of `muster simulate -o json`: docs/json.md. Rounds are written as they come.
std::unique_ptr<Report> json_report(const Cluster& cluster, const ReportOptions& options, Write write);

}  // namespace muster::cli
