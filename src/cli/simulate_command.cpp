// `muster simulate`.
#include "cli/simulate_command.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>

#include "cli/cli.hpp"
#include "cli/inputs.hpp"
#include "cli/json_output.hpp"
#include "cli/simulation.hpp"
#include "cli/text_output.hpp"

namespace muster::cli {
namespace {

struct SimulateOptions {
  InputOptions inputs;
  int cycles = 1;
  std::string interval = "0s";
  std::string output = "text";
  bool timing = false;
};

using Clock = std::chrono::steady_clock;

Timing timing_since(Clock::time_point start, Clock::time_point read) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return {.read_ms = std::chrono::duration<double, std::milli>(read - start).count(),
          .cpu_ms = ms(usage.ru_utime) + ms(usage.ru_stime),
          .peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024};
}

int run_simulate(const SimulateOptions& options) {
  const auto start = Clock::now();
  const auto interval = parse_duration(options.interval);
  if (!interval) {
    fmt::print(stderr, "error: --interval: \"{}\" is no duration like 30s or 1h30m\n", options.interval);
    return kUsage;
  }
  int exit_code = kSuccess;
  auto inputs = read_inputs(options.inputs, exit_code);
  if (!inputs) return exit_code;
  const auto read = Clock::now();
  const SimulationResult result = simulate(
      inputs->cluster, inputs->policy, {.cycles = options.cycles, .now = inputs->now, .interval = *interval});
  std::optional<Timing> timing;
  if (options.timing) timing = timing_since(start, read);
  if (options.output == "json")
    fmt::print("{}\n", to_json(inputs->cluster, result, timing).dump(1));
  else
    print_text(inputs->cluster, result, timing);
  return kSuccess;
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run scheduling cycles on a cluster read from files");
  command
      ->add_option("FILE", options->inputs.paths,
                   "Manifests: YAML or JSON files, directories, or - for standard input")
      ->required();
  command->add_option("--config", options->inputs.config, "Scheduler configuration (KAI's file format)");
  command->add_option("--cycles", options->cycles, "How many cycles to run")->check(CLI::PositiveNumber);
  command->add_option("--now", options->inputs.now,
                      "The instant of the first cycle, RFC 3339 (default: the clock)");
  command->add_option("--interval", options->interval, "Simulated time between cycles");
  command->add_option("-o,--output", options->output, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--timing", options->timing, "Add how long everything took");
  command->add_flag("--kai-exact", options->inputs.kai_exact,
                    "Decide as KAI-Scheduler does even where muster would differ");
  command->add_flag("--strict", options->inputs.strict, "Treat warnings about manifests as errors");
  command->footer("Example:\n  muster simulate cluster.yaml --cycles 3 --now 2025-06-01T12:00:00Z");
  command->callback([options, &exit_code] { exit_code = run_simulate(*options); });
}

}  // namespace muster::cli
