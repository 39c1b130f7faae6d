// `muster what-if`: compares the cluster with and without changes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "answers/json.hpp"
#include "answers/what_if.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/input/read_inputs.hpp"
#include "cli/input/state_source.hpp"
#include "cli/options.hpp"
#include "cli/simulate/until.hpp"
#include "cli/what_if/what_if_text.hpp"
#include "cli/what_if/what_if_until.hpp"
#include "loader/inputs.hpp"
#include "loader/known_classes.hpp"
#include "terminal/output.hpp"
#include "util/stopwatch.hpp"

namespace muster::cli {
namespace {

using answers::Change;
using answers::ChangeKind;

struct WhatIfCommand {
  loader::InputOptions inputs;
  StateSource source;
  std::vector<std::string> submit, set, drain, remove, add, erase;
  std::string new_config, advance, output = "text";
  UntilOptions until;
  bool all = false;
};

constexpr auto kTimeForStarts = std::chrono::milliseconds(500);  // for each of the two states

// Parses all requested changes, in a fixed order of their kinds. Stops at the first invalid one.
Result<std::vector<Change>> changes_of(const WhatIfCommand& o, TimePoint now) {
  std::vector<Change> changes;
  for (const std::string& file : o.submit) changes.push_back({.kind = ChangeKind::kSubmit, .target = file});
  if (!o.new_config.empty()) changes.push_back({.kind = ChangeKind::kConfig, .target = o.new_config});
  for (const std::string& text : o.set) {
    auto change = answers::parse_setting(text);
    if (!change) return change.error();
    changes.push_back(*std::move(change));
  }
  for (const std::string& text : o.add) {
    auto change = answers::parse_addition(text);
    if (!change) return change.error();
    changes.push_back(*std::move(change));
  }
  for (const std::string& node : o.drain) changes.push_back({.kind = ChangeKind::kDrainNode, .target = node});
  for (const std::string& node : o.remove)
    changes.push_back({.kind = ChangeKind::kRemoveNode, .target = node});
  for (std::string job : o.erase) {
    if (job.starts_with("job/")) job.erase(0, 4);
    changes.push_back({.kind = ChangeKind::kDeleteJob, .target = job});
  }
  if (!o.advance.empty()) {
    const TimePoint later = now + parse_duration(o.advance).value_or(Duration{});
    if (later > kLastTime) return Error{"--advance: the time would be after the year 9999", {}};
    changes.push_back({.kind = ChangeKind::kTime, .to = format_time(later)});
  }
  return changes;
}

bool removes_node(ChangeKind kind) {
  return kind == ChangeKind::kDrainNode || kind == ChangeKind::kRemoveNode;
}

// Applies the changes. Returns the jobs that had pods on drained or removed nodes.
Result<std::vector<std::string>> apply_all(std::vector<Change>& changes, Cluster& cluster, TimePoint& now) {
  std::vector<std::string> drained;
  for (Change& change : changes) {
    if (removes_node(change.kind))
      if (const NodeId node = cluster.find_node(change.target); node.valid())
        for (JobId j : answers::jobs_on(cluster, node)) drained.push_back(cluster.job(j).full_name());
    if (const auto done = answers::apply(change, cluster, now); !done) return done.error();
  }
  return drained;
}

std::set<std::string> job_names(const Cluster& cluster) {
  std::set<std::string> names;
  for (const Job& job : cluster.jobs())
    if (job.present) names.insert(job.full_name());
  return names;
}

// Whether a submitted job does not run. Includes jobs that a submitted file adds and jobs that it changes.
bool is_submitted_job_pending(const WhatIfCommand& options, const std::set<std::string>& known,
                              const Cluster& after) {
  loader::InputOptions alone = options.inputs;
  alone.paths = options.submit;
  const std::set<std::string> submitted = job_names(loader::read_all(alone).cluster);
  for (JobId j : ids(after.jobs())) {
    const Job& job = after.job(j);
    const bool is_submitted = submitted.contains(job.full_name()) || !known.contains(job.full_name());
    if (job.present && is_submitted && !answers::is_at_minimum(after, j)) return true;
  }
  return false;
}

// The inputs of the changed cluster: the given files, the submitted files, and the new configuration.
loader::InputOptions changed_inputs(const WhatIfCommand& options, loader::InputOptions inputs,
                                    TimePoint now) {
  inputs.now = format_time(now);
  inputs.paths.insert(inputs.paths.end(), options.submit.begin(), options.submit.end());
  if (!options.new_config.empty()) inputs.config = options.new_config;
  return inputs;
}

std::optional<loader::Inputs> read_state(const loader::InputOptions& options, int& exit_code) {
  auto inputs = read_inputs(options, exit_code);
  if (!inputs) return std::nullopt;
  loader::add_shipped_priority_classes(inputs->cluster);
  inputs->cluster.refresh(inputs->now);
  return inputs;
}

int usage_error(const Error& error) {
  write_message("error: {}", error.text());
  return kUsage;
}

// Simulates both states over time. Reads the files again because a run consumes its inputs.
// NOLINTBEGIN(performance-unnecessary-value-param): apply_all() modifies the changes
std::optional<TimedDifference> play_both(const WhatIfCommand& options, const loader::InputOptions& given,
                                         std::vector<Change> changes, int& exit_code) {
  // NOLINTEND(performance-unnecessary-value-param)
  loader::InputOptions wanted = given;
  wanted.over_time = true;
  auto before = read_state(wanted, exit_code);
  if (!before) return std::nullopt;
  auto after = read_state(changed_inputs(options, wanted, before->now), exit_code);
  if (!after) return std::nullopt;
  if (const auto applied = apply_all(changes, after->cluster, after->now); !applied) {
    exit_code = usage_error(applied.error());
    return std::nullopt;
  }
  auto without = simulate_inputs(*before, options.until, exit_code);
  auto with = without ? simulate_inputs(*after, options.until, exit_code) : std::nullopt;
  if (!with) return std::nullopt;
  return difference_of(*std::move(without), *std::move(with));
}

int run_what_if(const WhatIfCommand& options) {
  const bool reads_stdin = std::ranges::find(options.inputs.paths, "-") != options.inputs.paths.end();
  const bool reads_twice = !options.submit.empty() || !options.new_config.empty();
  if ((reads_twice || options.until.is_on()) && reads_stdin)
    return usage_error(
        {"--submit, --config and --until read the files twice, but standard input can be read only once",
         {}});
  TemporaryFile live;
  loader::InputOptions wanted = options.inputs;
  int exit_code = add_source_files(options.source, live, wanted);
  if (exit_code != kSuccess) return exit_code;
  auto before = read_state(wanted, exit_code);
  if (!before) return exit_code;
  auto changes = changes_of(options, before->now);
  if (!changes) return usage_error(changes.error());
  if (changes->empty())
    return usage_error(
        {"specify at least one change: --submit, --set, --drain, --remove, --add, --delete, --config or "
         "--advance",
         {}});
  std::optional<loader::Inputs> reread;
  if (reads_twice) {
    reread = read_state(changed_inputs(options, wanted, before->now), exit_code);
    if (!reread) return exit_code;
  }
  Cluster changed = reread ? std::move(reread->cluster) : before->cluster;
  const Policy& policy = reread ? reread->policy : before->policy;
  TimePoint now = before->now;
  const auto known = job_names(before->cluster);
  const auto drained = apply_all(*changes, changed, now);
  if (!drained) return usage_error(drained.error());
  const answers::KnownTimes times = before->known_times(), new_times = reread ? reread->known_times() : times;
  const answers::State old_state{before->cluster, before->policy, before->now, &times},
      new_state{changed, policy, now, &new_times};
  const answers::Outcome without = answers::outcome_of(old_state), with = answers::outcome_of(new_state);
  answers::Differences differences = answers::compare(without, with, *drained);
  const SteadyStopwatch stopwatch;
  differences.starts = answers::moved_starts({old_state, without}, {new_state, with},
                                             {.time = kTimeForStarts, .stopwatch = stopwatch});
  std::optional<TimedDifference> timed;
  if (options.until.is_on()) {
    timed = play_both(options, wanted, *changes, exit_code);
    if (!timed) return exit_code;
  }
  if (options.output == "json") {
    nlohmann::ordered_json body = answers::what_if_json(*changes, without, with, differences);
    if (timed) body["until"] = timed_json(*timed);
    write_json(body);
  } else {
    const TextStyle style{
        .paint = Painter::for_stream(stdout), .width = columns_of(stdout, kWidthOfFiles), .all = options.all};
    write_out(what_if_text(*changes, without, with, differences, style) +
              (timed ? timed_text(*timed, style) : Text()));
  }
  const bool is_no = !options.submit.empty() && is_submitted_job_pending(options, known, with.cluster);
  return is_no ? kNo : kSuccess;
}

void add_changes(CLI::App& command, WhatIfCommand& o) {
  command.add_option("--submit", o.submit, "Add the objects in FILE")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--set", o.set,
                  "Set a field: queue/NAME.gpu.quota=12 (also cpu, memory; limit, overQuotaWeight), "
                  "queue/NAME.priority "
                  "(preemptMinRuntime, reclaimMinRuntime, parentQueue), job/NS/NAME.priority=train "
                  "(preemptibility, queue, minMember). Amounts in GPUs, cores, GB")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--drain", o.drain, "Cordon the node; its pods become pending")
      ->type_name("NODE")
      ->allow_extra_args(false);
  command.add_option("--remove", o.remove, "Remove the node; its pods become pending")
      ->type_name("NODE")
      ->allow_extra_args(false);
  command.add_option("--add", o.add, "Add N nodes: 4:like=NODE, or 2:gpus=8,cpu=96,memory=1Ti")
      ->type_name("N:WHAT")
      ->allow_extra_args(false);
  command.add_option("--delete", o.erase, "Delete the job: job/NS/NAME")
      ->type_name("JOB")
      ->allow_extra_args(false);
  command.add_option("--config", o.new_config, "Use this configuration")->type_name("FILE");
  command.add_option("--advance", o.advance, "Advance the clock by DURATION")
      ->type_name("DURATION")
      ->check(is_nonnegative_duration());
}

}  // namespace

void add_what_if(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<WhatIfCommand>();
  CLI::App* command =
      app.add_subcommand("what-if", "Show what a change would do: which jobs are placed or evicted");
  command->group("Inspect jobs");
  add_input_options(*command, options->inputs, {.config = "--current-config", .needs_files = false});
  add_source_options(*command, options->source);
  add_changes(*command, *options);
  add_until_option(*command, options->until);
  add_output_option(*command, options->output);
  command->add_flag("--all", options->all, "Do not truncate long lists");
  command->footer(
      "Runs cycles on the cluster with and without the changes, each until a cycle decides nothing new (at\n"
      "most 20), and prints the differences. Changes may be given any number of times. Exits with 1 if a\n"
      "submitted job would not run. With --until both clusters are also simulated over time, and the\n"
      "differences between the two runs are printed.\n\n"
      "Examples:\n"
      "  muster what-if cluster.yaml --submit job.yaml\n"
      "  muster what-if cluster/ --set queue/team-a.gpu.quota=12 --set job/default/train.priority=build\n"
      "  muster what-if cluster/ --drain gpu-1 --add 2:like=gpu-2 -o json");
  command->callback([options, &exit_code] { exit_code = run_what_if(*options); });
}

}  // namespace muster::cli
