// Checks the options, simulates each configuration, and writes text, JSON or the page.
#include "cli/simulate/until.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include "cli/cli.hpp"
#include "cli/input/read_inputs.hpp"
#include "cli/options.hpp"
#include "cli/simulate/interrupt.hpp"
#include "cli/simulate/run_record.hpp"
#include "report/page/page.hpp"
#include "report/run_report.hpp"
#include "sim/clock.hpp"
#include "sim/workload_controllers.hpp"
#include "terminal/output.hpp"
#include "terminal/status_line.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

constexpr const char* kIdle = "idle";
constexpr std::int64_t kMostPoints = 1'000'000;  // per series
constexpr std::size_t kMostCompared = 6;
constexpr Duration kLongestRun = std::chrono::hours(24 * 366 * 290);  // longer spans would overflow Duration
constexpr const char* kOverTime = "Over time (--until)";              // group of the options that require it
constexpr const char* kOfCycles[] = {"--cycles", "--interval", "--timing", "--namespace", "--queue",
                                     "--user",   "--job",      "--state",  "--sort"};

CLI::Validator is_until() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        if (text == kIdle || parse_time(text)) return "";
        const auto span = parse_duration(text);
        if (!span)
          return fmt::format(
              "\"{}\" is neither a timestamp (e.g. 2025-06-08T12:00:00Z), a duration (e.g. 7d), nor idle",
              text);
        return *span < Duration::zero() ? fmt::format("\"{}\" is negative; time only moves forward", text)
                                        : "";
      },
      "");
}

CLI::Validator is_positive() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const auto span = parse_duration(text);
        if (!span) return is_duration()(text);
        return *span <= Duration::zero() ? fmt::format("\"{}\" must be greater than zero", text) : "";
      },
      "");
}

Duration duration_in(const std::string& text) { return parse_duration(text).value_or(Duration{}); }

std::optional<TimePoint> end_of(const std::string& until, TimePoint from) {
  if (until == kIdle) return std::nullopt;
  if (const auto end = parse_time(until)) return end;
  return from + duration_in(until);
}

GroupingKeys grouping_keys(const SchedulerParams& params) {
  return {.scheduler = params.scheduler_name,
          .queue_label = params.queue_label_key,
          .node_pool_label = params.node_pool_label_key};
}

ClockOptions clock_options(const UntilOptions& options, const loader::Inputs& inputs) {
  ClockOptions clock{.timed = {.from = inputs.now,
                               .end = end_of(options.until, inputs.now),
                               .seed = options.seed,
                               .start_delay = duration_in(options.start_delay),
                               .eviction_delay = duration_in(options.eviction_delay),
                               .node_mtbf = {},
                               .node_mttr = duration_in(options.node_mttr),
                               .series_step = {}},
                     .period = duration_in(options.period),
                     .usage = inputs.config.usage};
  if (!options.node_mtbf.empty()) clock.timed.node_mtbf = duration_in(options.node_mtbf);
  if (!options.series.empty()) clock.timed.series_step = duration_in(options.series);
  return clock;
}

// Checks the options that depend on the files. Returns "" or a message about a problem.
std::string problem_with(const UntilOptions& options, const ClockOptions& clock,
                         const loader::Inputs& inputs) {
  const auto& end = clock.timed.end;
  if (end && *end < clock.timed.from)
    return fmt::format("--until: {} is before --now, {}", options.until, format_time(clock.timed.from));
  if (end && *end - clock.timed.from > kLongestRun) return "--until: more than 290 years cannot be simulated";
  if (end && *end > kLastTime) return "--until: the run would end after the year 9999";
  if (end && clock.timed.series_step && (*end - clock.timed.from) / *clock.timed.series_step > kMostPoints)
    return fmt::format("--series: more than {} points; choose a larger step",
                       grouped(static_cast<std::size_t>(kMostPoints)));
  if (const std::string cron = first_cron_job(inputs.workloads); !end && !cron.empty())
    return fmt::format("--until idle: CronJob {} never stops creating jobs; specify a time or a duration",
                       cron);
  return "";
}

// Formats a span of time as "3d 04:00".
std::string days_text(Duration span) {
  constexpr std::int64_t kMinutesOfADay = 1440;
  const std::int64_t minutes = std::chrono::duration_cast<std::chrono::minutes>(span).count();
  const std::string clock = fmt::format("{:02}:{:02}", minutes / 60 % 24, minutes % 60);
  return minutes >= kMinutesOfADay ? fmt::format("{}d {}", minutes / kMinutesOfADay, clock) : clock;
}

// Shows the progress of the run and stops it on Ctrl-C.
class Watch {
 public:
  Watch(const ClockOptions& clock, const Interrupt& interrupt, bool is_wanted)
      : clock_(clock), interrupt_(interrupt), line_(is_wanted) {}

  bool goes_on(const ClockState& state) {
    if (++looks_ % kLooks == 0 && line_.is_due()) line_.show(text(state));
    return !interrupt_.has_come() && !has_output_failed();
  }

 private:
  using Steady = std::chrono::steady_clock;
  static constexpr std::uint64_t kLooks = 64;

  Text text(const ClockState& state) const {
    const Duration span = state.now - clock_.timed.from;
    const double wall = std::chrono::duration<double>(Steady::now() - start_).count();
    std::string of;
    if (clock_.timed.end) of = " of " + days_text(*clock_.timed.end - clock_.timed.from);
    return format_text("{}{} · {} · {}×", days_text(span), of, counted(state.jobs_ended, "job"),
                       grouped(static_cast<std::size_t>(seconds_of(span) / std::max(wall, 1e-3))));
  }

  const ClockOptions& clock_;
  const Interrupt& interrupt_;
  StatusLine line_;
  const Steady::time_point start_ = Steady::now();
  std::uint64_t looks_ = 0;
};

// Writes every occurrence to the record, if there is one.
class Recorder {
 public:
  // Returns false, with a message, if the file cannot be written.
  bool open(const std::string& path, const std::string& first_line) {
    if (path.empty()) return true;
    path_ = path;
    file_.open(path, std::ios::trunc);
    file_ << first_line;
    if (!file_) write_message("error: {}: cannot be written", path);
    return static_cast<bool>(file_);
  }
  OnOccurrence writer() {
    if (path_.empty()) return {};
    return [this](const Occurrence& occurrence) { file_ << report::record_line(occurrence); };
  }
  bool close() {
    if (path_.empty()) return true;
    file_.close();
    if (!file_) write_message("error: {}: could not be written completely", path_);
    return static_cast<bool>(file_);
  }

 private:
  std::string path_;
  std::ofstream file_;
};

struct PlayedRun {
  RunOutcome outcome;
  int exit_code = kSuccess;
};

// Reads the files for each run, because a run consumes its inputs.
PlayedRun play(const loader::InputOptions& given, const UntilOptions& options, bool shows_progress,
               Notices& notices) {
  PlayedRun run;
  loader::InputOptions expected = given;
  expected.expects_work = expected.over_time = true;
  auto inputs = read_inputs(expected, run.exit_code, notices);
  if (!inputs) return run;
  const ClockOptions clock = clock_options(options, *inputs);
  if (const std::string problem = problem_with(options, clock, *inputs); !problem.empty()) {
    write_message("error: {}", problem);
    return run.exit_code = kUsage, run;
  }
  Recorder recorder;
  if (!recorder.open(options.record, run_line({given, options}, inputs->now)))
    return run.exit_code = kExternalFailure, run;
  const Interrupt interrupt;
  Watch watch(clock, interrupt, shows_progress);
  WorkloadControllers controllers(inputs->workloads, grouping_keys(inputs->config.params));
  const ClockWatchers watchers{.goes_on = [&](const ClockState& state) { return watch.goes_on(state); },
                               .on_cycle = {},
                               .on_occurrence = recorder.writer()};
  run.outcome =
      run_clock(inputs->cluster, inputs->policy, std::move(inputs->agenda), &controllers, clock, watchers);
  for (const std::string& problem : controllers.problems()) write_message("warning: {}", problem);
  if (run.outcome.to - run.outcome.from > kLongestRun) {
    write_message("error: --until: the run goes on until {}; more than 290 years cannot be simulated",
                  format_time(run.outcome.to));
    return run.exit_code = kUsage, run;
  }
  if (run.outcome.is_cut) run.exit_code = kInterrupted;
  if (!recorder.close()) run.exit_code = kExternalFailure;
  return run;
}

bool has_outcome(int exit_code) { return exit_code == kSuccess || exit_code == kInterrupted; }

// The configuration of --config comes first. A single one is compared with the default configuration.
std::vector<std::string> compared_configs(const loader::InputOptions& inputs, const UntilOptions& options) {
  std::vector<std::string> configs = options.compare;
  if (!inputs.config.empty() || configs.size() == 1) configs.insert(configs.begin(), inputs.config);
  return configs;
}

// True for standard input and pipes.
bool is_readable_once(const std::string& file) {
  struct stat status {};
  return file == "-" || (::stat(file.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
}

// Checks whether these runs can be compared. Returns "" or a message about a problem.
std::string problem_with(const std::vector<std::string>& configs, const loader::InputOptions& inputs) {
  if (configs.size() > kMostCompared)
    return fmt::format("--compare: at most {} configurations with --config", kMostCompared);
  std::vector<std::string> files = inputs.paths;
  files.insert(files.end(), {inputs.trace.trace, inputs.trace.nodes, inputs.usage});
  const auto once = std::ranges::find_if(files, is_readable_once);
  if (once == files.end()) return "";
  return fmt::format("--compare: {} can be read only once, but each run reads it; write it to a file first",
                     *once == "-" ? "standard input" : *once);
}

int compare(const loader::InputOptions& inputs, const UntilOptions& options, const TextStyle& style,
            bool is_json) {
  const std::vector<std::string> configs = compared_configs(inputs, options);
  if (const std::string problem = problem_with(configs, inputs); !problem.empty()) {
    write_message("error: {}", problem);
    return kUsage;
  }
  report::PageFile page;
  if (!page.open(options.report)) return kExternalFailure;
  std::vector<report::ComparedRun> runs;
  Notices notices;
  int exit_code = kSuccess;
  for (const std::string& config : configs) {
    loader::InputOptions of_run = inputs;
    of_run.config = config;
    if (of_run.now.empty() && !runs.empty()) of_run.now = format_time(runs.front().outcome.from);
    PlayedRun run = play(of_run, options, !is_json || !is_terminal(stdout), notices);
    exit_code = run.exit_code;
    if (!has_outcome(exit_code)) return exit_code;
    runs.push_back({config, std::move(run.outcome)});
    if (exit_code == kInterrupted) break;
  }
  if (is_json)
    report::write_comparison_json(runs, write_raw);
  else
    write_out(report::comparison_text(runs, style));
  return page.write(runs) ? exit_code : kExternalFailure;
}

}  // namespace

std::optional<TimePoint> end_of_run(const UntilOptions& options, TimePoint from) {
  return end_of(options.until, from);
}

std::optional<RunOutcome> simulate_inputs(loader::Inputs& inputs, const UntilOptions& options, int& exit_code,
                                          const ClockWatchers& watchers) {
  const ClockOptions clock = clock_options(options, inputs);
  if (const std::string problem = problem_with(options, clock, inputs); !problem.empty()) {
    write_message("error: {}", problem);
    exit_code = kUsage;
    return std::nullopt;
  }
  WorkloadControllers controllers(inputs.workloads, grouping_keys(inputs.config.params));
  return run_clock(inputs.cluster, inputs.policy, std::move(inputs.agenda), &controllers, clock, watchers);
}

void add_until_option(CLI::App& command, UntilOptions& options) {
  command
      .add_option("--until", options.until,
                  "Simulate over time: until a timestamp, for a duration, or until no event is left (idle)")
      ->type_name("T")
      ->check(is_until());
}

void add_until_options(CLI::App& command, UntilOptions& options) {
  add_until_option(command, options);
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type)->group(kOverTime);
  };
  add("--seed", options.seed, "Seed for random durations and failures", "N")->capture_default_str();
  add("--period", options.period, "Minimum time between cycles", "DURATION")
      ->check(is_positive())
      ->capture_default_str();
  add("--start-delay", options.start_delay, "Time from the bind of a pod until it runs", "DURATION")
      ->check(is_nonnegative_duration())
      ->capture_default_str();
  add("--eviction-delay", options.eviction_delay, "Time from the eviction of a pod until it is gone",
      "DURATION")
      ->check(is_nonnegative_duration())
      ->capture_default_str();
  add("--node-mtbf", options.node_mtbf, "Mean time between random failures of a node (default: none fail)",
      "DURATION")
      ->check(is_positive());
  add("--node-mttr", options.node_mttr, "Time until a failed node is repaired", "DURATION")
      ->check(is_positive())
      ->capture_default_str();
  add("--series", options.series, "Time between two points of the series (default: about 500 points)",
      "DURATION")
      ->check(is_positive());
  add("--compare", options.compare,
      "Compare runs of the same load under up to six configurations; --config is the first", "CONFIG")
      ->expected(1, static_cast<int>(kMostCompared));
  add("--report", options.report, "Write a page with tables and charts to FILE (a single HTML file)", "FILE");
  add("--record", options.record, "Write every decision with its time to FILE as JSON lines", "FILE");
  add("--replay", options.replay, "Print the record in FILE", "FILE");
}

std::string check_options(const CLI::App& command) {
  const auto is_given = [&](const std::string& name) { return command.count(name) > 0; };
  const bool is_over_time = is_given("--until");
  if (is_given("--replay")) return is_over_time ? "--replay cannot be combined with --until" : "";
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == kOverTime && option->count() > 0 && !is_over_time)
      return option->get_name() + " requires --until";
  for (const char* of_cycles : kOfCycles)
    if (is_over_time && is_given(of_cycles))
      return std::string(of_cycles) + " cannot be combined with --until";
  if (is_given("--record") && is_given("--compare"))
    return "--record cannot be combined with --compare: a record holds a single run";
  return "";
}

int run_until(const loader::InputOptions& inputs, const UntilOptions& options, const TextStyle& style,
              bool is_json) {
  if (!options.compare.empty()) return compare(inputs, options, style, is_json);
  report::PageFile page;
  if (!page.open(options.report)) return kExternalFailure;
  Notices notices;
  PlayedRun played = play(inputs, options, !is_json || !is_terminal(stdout), notices);
  if (!has_outcome(played.exit_code)) return played.exit_code;
  const report::ComparedRun run{.config = inputs.config, .outcome = std::move(played.outcome)};
  if (is_json)
    report::write_run_json(run.outcome, write_raw);
  else
    write_out(report::run_text(run.outcome, style));
  return page.write({&run, 1}) ? played.exit_code : kExternalFailure;
}

}  // namespace muster::cli
