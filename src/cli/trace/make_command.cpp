// `muster trace make`: writes a synthetic trace to standard output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.hpp"
#include "cli/options.hpp"
#include "cli/trace/trace_commands.hpp"
#include "terminal/output.hpp"
#include "trace/make.hpp"

namespace muster::cli {
namespace {

using trace::MakeOptions;
using trace::Weighted;

struct MakeFlags {
  MakeOptions options;
  std::string output = "csv";
};

std::string weights_text(const std::vector<Weighted>& values) {
  std::string text;
  for (const Weighted& value : values)
    text += fmt::format("{}{}:{:g}", text.empty() ? "" : ",", value.value, value.weight);
  return text;
}

CLI::Validator is_weighted() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto parsed = trace::parse_weighted(text);
        return parsed ? "" : parsed.error().message;
      },
      "");
}

void add_weights(CLI::App& command, const char* name, std::vector<Weighted>& values, const char* help) {
  command
      .add_option_function<std::string>(
          name, [&values](const std::string& text) { values = *trace::parse_weighted(text); }, help)
      ->type_name("VALUE:WEIGHT,…")
      ->check(is_weighted())
      ->default_str(weights_text(values));
}

void add_duration(CLI::App& command, const char* name, Duration& duration, const char* help) {
  command
      .add_option_function<std::string>(
          name, [&duration](const std::string& text) { duration = parse_duration(text).value_or(duration); },
          help)
      ->type_name("DURATION")
      ->check(is_nonnegative_duration())
      ->default_str(duration == Duration::zero() ? "" : format_duration(duration));
}

template <class Number>
void add_number(CLI::App& command, const char* name, Number& number, const char* help) {
  command.add_option(name, number, help)->type_name("N")->capture_default_str();
}

int run_make(const MakeFlags& flags) {
  if (const std::string problem = trace::problem_with(flags.options); !problem.empty()) {
    write_message("error: {}", problem);
    return kUsage;
  }
  trace::make_trace(flags.options, [](std::string_view text) {
    write_raw(text);
    return !has_output_failed();
  });
  return kSuccess;
}

void add_size(CLI::App& command, MakeOptions& options) {
  add_number(command, "--jobs", options.jobs, "Number of jobs");
  add_number(command, "--days", options.days, "Number of days; the first is a Monday");
  add_number(command, "--seed", options.seed, "Random seed; the same seed produces the same trace");
  add_weights(command, "--queues", options.queues, "Queues, each with its share of the jobs");
  add_number(command, "--users", options.users, "Number of users; the first ones submit most");
}

void add_shape(CLI::App& command, MakeOptions& options) {
  add_weights(command, "--gangs", options.gangs, "Pods per job; all of them must run at once");
  add_weights(command, "--gpus", options.gpus, "GPUs per pod; below 1, a share of one GPU");
  add_number(command, "--cpu-per-gpu", options.cpu_per_gpu, "CPU cores per GPU");
  add_number(command, "--memory-per-gpu", options.memory_per_gpu, "Memory per GPU, in GiB");
  add_duration(command, "--duration", options.median, "Median duration of jobs");
  add_duration(command, "--duration-p90", options.p90, "Duration that one in ten jobs exceeds");
  add_duration(command, "--duration-max", options.longest, "Longest duration");
  add_weights(command, "--priorities", options.priorities, "Priority classes or numbers (default: none)");
  add_duration(command, "--checkpoint-every", options.checkpoint_every,
               "Checkpoint interval of all jobs (default: none)");
}

void add_times(CLI::App& command, MakeOptions& options) {
  add_number(command, "--swing", options.swing,
             "Day/night variation of arrivals: 0 none, 1 no arrivals at night");
  add_number(command, "--weekend", options.weekend, "Arrivals on a weekend day, relative to a weekday");
  add_number(command, "--bursts", options.bursts, "Number of bursts, in which many jobs arrive at once");
  add_number(command, "--burst-share", options.burst_share, "Share of the jobs that arrive in bursts");
  add_weights(command, "--burst-gangs", options.burst_gangs, "Pods per job in bursts");
}

}  // namespace

void add_trace_make(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<MakeFlags>();
  CLI::App* command = app.add_subcommand("make", "Write a synthetic trace to standard output");
  add_size(*command, flags->options);
  add_shape(*command, flags->options);
  add_times(*command, flags->options);
  command->add_option("-o,--output", flags->output, "CSV with a header, or JSON lines")
      ->check(is_one_of({"csv", "json"}))
      ->capture_default_str();
  command->footer(
      "Arrivals vary with the time of day and the day of the week; durations have a heavy tail. The same\n"
      "options always produce the same trace.\n\n"
      "Examples:\n"
      "  muster trace make --jobs 10000 --days 7 > steady.csv\n"
      "  muster trace make --jobs 5000 --bursts 12 --burst-gangs 32:2,64:1 --seed 7 > bursts.csv\n"
      "  muster trace make --jobs 500 --queues vision:2,speech:1 --gpus 0.25:3,1:6,8:1 -o json");
  command->callback([flags, &exit_code] {
    flags->options.as_json = flags->output == "json";
    exit_code = run_make(*flags);
  });
}

}  // namespace muster::cli
