// `muster simulate`: cycles on a cluster read from files, and the report of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/input/inputs.hpp"
#include "cli/options.hpp"
#include "cli/report/report.hpp"
#include "cli/simulate/rounds.hpp"

namespace muster::cli {
namespace {

struct SimulateOptions {
  InputOptions inputs;
  int cycles = 1;
  std::string interval = "0s";
  std::string output = "text";
  bool timing = false, all = false, wide = false;
};

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWidthOfFiles = 100;

TextStyle style_of(const SimulateOptions& options) {
  return {.paint = Paint::for_stream(stdout),
          .width = columns_of(stdout, kWidthOfFiles),
          .all = options.all,
          .wide = options.wide};
}

int run_simulate(const SimulateOptions& options) {
  const auto start = Clock::now();
  int exit_code = kSuccess;
  auto inputs = read_inputs(options.inputs, exit_code);
  if (!inputs) return exit_code;
  const double read_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  const std::vector<Round> rounds =
      run_rounds(inputs->cluster, inputs->policy,
                 {.cycles = options.cycles,
                  .now = inputs->now,
                  .interval = parse_duration(options.interval).value_or(Duration{})});
  std::optional<Timing> timing;
  if (options.timing) timing = timing_of_process(read_ms);
  if (options.output == "json")
    fmt::print("{}", to_json(inputs->cluster, rounds, timing));
  else
    fmt::print("{}", to_text(inputs->cluster, rounds, timing, style_of(options)));
  return kSuccess;
}

void add_input_options(CLI::App& command, InputOptions& inputs) {
  command.add_option("FILE", inputs.paths, kFilesHelp)->required();
  command.add_option("--config", inputs.config, kConfigHelp)->type_name("FILE");
  command
      .add_option("--usage", inputs.usage,
                  "Past use of queues as shares of the capacity: {team: {gpu: 0.4, cpu: 0.1, memory: 0.1}}")
      ->type_name("FILE");
  command.add_option("--now", inputs.now, "The instant of the first cycle (default: the clock)")
      ->type_name("TIME")
      ->check(is_time());
  command.add_flag("--kai-exact", inputs.kai_exact,
                   "Decide as KAI-Scheduler does even where muster would differ");
  command.add_flag("--strict", inputs.strict, "Warnings about manifests are errors");
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run scheduling cycles on a cluster read from files");
  command->group("Try a policy on files");
  add_input_options(*command, options->inputs);
  command->add_option("--cycles", options->cycles, "How many cycles to run")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  command->add_option("--interval", options->interval, "Simulated time between cycles")
      ->type_name("DURATION")
      ->check(is_duration())
      ->capture_default_str();
  add_output_option(*command, options->output);
  command->add_flag("--timing", options->timing, "Add how long everything took");
  command->add_flag("--all", options->all, "Do not cut off long lists");
  command->add_flag("--wide", options->wide, "CPU and memory of queues, too");
  command->footer(
      "Prints what each cycle binds and evicts, then queues, jobs, and who waits and why.\n\n"
      "Examples:\n"
      "  muster simulate cluster.yaml\n"
      "  muster simulate nodes.yaml queues.yaml jobs/ --cycles 3 --now 2025-06-01T12:00:00Z\n"
      "  kubectl get nodes,queues,podgroups,pods -A -o yaml | muster simulate - -o json");
  command->callback([options, &exit_code] { exit_code = run_simulate(*options); });
}

}  // namespace muster::cli
