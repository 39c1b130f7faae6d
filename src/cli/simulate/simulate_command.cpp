// `muster simulate`: runs cycles on a cluster read from files and reports them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/input/read_inputs.hpp"
#include "cli/input/trace_options.hpp"
#include "cli/options.hpp"
#include "cli/simulate/interrupt.hpp"
#include "cli/simulate/until.hpp"
#include "loader/inputs.hpp"
#include "report/report.hpp"
#include "sim/rounds.hpp"
#include "terminal/output.hpp"
#include "terminal/status_line.hpp"
#include "util/int128.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

struct SimulateOptions {
  loader::InputOptions inputs;
  report::JobFilter filter;
  UntilOptions until;
  int cycles = 1;
  std::string interval = "0s";
  std::string output = "text";
  bool timing = false, all = false, wide = false;
};

using Clock = std::chrono::steady_clock;

TextStyle style_of(const SimulateOptions& options) {
  return {.paint = Painter::for_stream(stdout),
          .width = columns_of(stdout, kWidthOfFiles),
          .all = options.all,
          .wide = options.wide};
}

bool ends_in_time(const RoundOptions& run) {
  const auto seconds_left = (kLastTime.whole_seconds() - run.now.whole_seconds()).count();
  return Int128{run.interval.count()} * (run.cycles - 1) <= Int128{seconds_left} * 1'000'000'000;
}

// Checks the options that depend on the files and the clock. Returns "" or a message about a problem.
std::string problem_with(const SimulateOptions& options, const RoundOptions& run,
                         const loader::Inputs& inputs) {
  if (!ends_in_time(run))
    return fmt::format("--interval: {}, {} apart, go beyond the year 9999",
                       counted(static_cast<std::size_t>(run.cycles), "cycle"), format_duration(run.interval));
  return report::problem_with(options.filter, inputs.cluster);
}

RoundOptions run_of(const SimulateOptions& options, TimePoint now) {
  return {.cycles = options.cycles,
          .now = now,
          .interval = parse_duration(options.interval).value_or(Duration{})};
}

// Passes each round to the report, shows a progress line, and stops on Ctrl-C. Rounds in JSON are written at
// once, so there is no progress line if they go to the terminal.
Round run_watched(loader::Inputs& inputs, const RoundOptions& run, report::Report& report, bool is_json) {
  StatusLine line(!is_json || !is_terminal(stdout));
  const Interrupt interrupt;
  const std::string of = fmt::format("of {}, {}", counted(static_cast<std::size_t>(run.cycles), "cycle"),
                                     counted(inputs.cluster.jobs().size(), "job"));
  return run_rounds(inputs.cluster, inputs.policy, run, [&](const Round& round) {
    report.add(round);
    if (line.is_due()) line.show(format_text("{} {}", grouped(static_cast<std::size_t>(round.cycle)), of));
    return !interrupt.has_come() && !has_output_failed();
  });
}

int run_simulate(const SimulateOptions& options) {
  if (!options.until.replay.empty())
    return run_replay(options.until, style_of(options), options.output == "json");
  if (options.inputs.paths.empty() && options.inputs.trace.is_empty()) {
    write_message("error: FILE is required: manifests of the cluster, or --trace with --trace-nodes");
    return kUsage;
  }
  if (!options.inputs.trace.trace.empty() && !options.until.is_on()) {
    write_message("error: --trace requires --until");
    return kUsage;
  }
  if (options.until.is_on())
    return run_until(options.inputs, options.until, style_of(options), options.output == "json");
  const auto start = Clock::now();
  int exit_code = kSuccess;
  loader::InputOptions expected = options.inputs;
  expected.expects_work = true;
  auto inputs = read_inputs(expected, exit_code);
  if (!inputs) return exit_code;
  const RoundOptions run = run_of(options, inputs->now);
  if (const std::string problem = problem_with(options, run, *inputs); !problem.empty()) {
    write_message("error: {}", problem);
    return kUsage;
  }
  const double read_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  const bool is_json = options.output == "json";
  const report::ReportOptions printed{
      .run = run, .filter = options.filter, .has_timing = options.timing, .style = style_of(options)};
  const auto report = is_json ? report::json_report(inputs->cluster, printed, write_raw)
                              : report::text_report(inputs->cluster, printed, write_out);
  const Round last = run_watched(*inputs, run, *report, is_json);
  std::optional<report::Timing> timing;
  if (options.timing) timing = report::timing_of_process(read_ms);
  report->finish(last, timing);
  return last.cycle < run.cycles ? kInterrupted : kSuccess;
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run scheduling cycles on a cluster read from files");
  command->group("Try a policy on files");
  add_input_options(*command, options->inputs, {.needs_files = false});
  command->add_option("--cycles", options->cycles, "Number of cycles to run")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  command->add_option("--interval", options->interval, "Simulated time between cycles")
      ->type_name("DURATION")
      ->check(is_nonnegative_duration())
      ->capture_default_str();
  add_output_option(*command, options->output);
  add_filters(*command, options->filter);
  command->add_flag("--timing", options->timing, "Also print timings");
  add_until_options(*command, options->until);
  add_trace_options(*command, options->inputs.trace);
  command->add_flag("--all", options->all, "Do not truncate long lists");
  command->add_flag("--wide", options->wide, "Also show CPU and memory of queues");
  command->footer(
      "Prints what each cycle binds and evicts, then queues, nodes, jobs, and the reasons of pending jobs.\n"
      "Ctrl-C stops the run after the current cycle and prints the results so far; a second Ctrl-C stops it\n"
      "immediately.\n\n"
      "Examples:\n"
      "  muster simulate cluster.yaml\n"
      "  muster simulate nodes.yaml queues.yaml jobs/ --cycles 3 --now 2025-06-01T12:00:00Z\n"
      "  muster simulate cluster.yaml --queue research --state waiting --sort gpus\n"
      "  kubectl get nodes,queues,podgroups,pods -A -o yaml | muster simulate - -o json\n"
      "  muster simulate cluster.yaml --until 7d --seed 1 -o json\n"
      "  muster simulate cluster.yaml --until idle --config ours.yaml --compare theirs.yaml\n"
      "  muster simulate --trace jobs.csv --trace-nodes nodes.csv --until idle --report week.html");
  command->callback([options, command, &exit_code] {
    const std::string problem = check_options(*command);
    if (!problem.empty()) write_message("error: {}", problem);
    exit_code = problem.empty() ? run_simulate(*options) : kUsage;
  });
}

}  // namespace muster::cli
