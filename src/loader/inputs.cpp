// Reads configuration, manifests and past usage, and collects all errors and warnings.
#include "loader/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "checks/checks.hpp"
#include "loader/configuration.hpp"
#include "loader/manifest_reader.hpp"
#include "loader/usage_file.hpp"
#include "policy/policy.hpp"
#include "terminal/exit_code.hpp"
#include "util/names.hpp"

namespace muster::loader {
namespace {

TimePoint time_or_clock(const std::string& now) {
  const auto given = parse_time(now);
  return given ? *given : std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

TimePoint start_of(const InputOptions& options, const std::optional<loader::TraceInput>& trace,
                   const SchedulerState& state) {
  if (options.now.empty() && trace && trace->start()) return *trace->start();
  if (options.now.empty() && state.at) return *state.at;
  return time_or_clock(options.now);
}

// Returns a note on which configuration is used if there is a choice. No note is needed if a live cluster is
// evaluated with its own configuration.
std::string note_about_config(const InputOptions& options, const InSnapshots& found) {
  if (!found.config) return "";
  const bool is_live = found.file == options.live;
  const std::string origin = is_live             ? "of the live scheduler"
                             : found.file == "-" ? "in standard input"
                                                 : "in " + found.file;
  if (!options.config.empty())
    return fmt::format("the configuration {} is not used: {} replaces it with {}", origin,
                       options.config_flag, options.config);
  return is_live ? ""
                 : fmt::format("using the configuration {}; {} overrides it", origin, options.config_flag);
}

// Returns the list for invalid arguments of plugins and actions. They are only warnings if the configuration
// comes from a snapshot, since the user did not write it.
std::vector<Error>& take_configuration(const InputOptions& options, InSnapshots& in_snapshots,
                                       Inputs& inputs) {
  std::optional<LoadedConfig> loaded;
  const std::string note = note_about_config(options, in_snapshots);
  if (options.config.empty())
    loaded = std::move(in_snapshots.config);
  else if (is_readable(options.config, inputs.unreadable))
    loaded = load_config(options.config, policy::known_names());
  if (loaded) {
    inputs.config = std::move(loaded->config);
    inputs.findings.errors = std::move(loaded->errors);
    inputs.findings.warnings = std::move(loaded->warnings);
    inputs.notes = std::move(loaded->notes);
  }
  if (!note.empty()) inputs.notes.insert(inputs.notes.begin(), note);
  return options.config.empty() ? inputs.findings.warnings : inputs.findings.errors;
}

void read_configuration(const InputOptions& options, InSnapshots& in_snapshots, Inputs& inputs) {
  std::vector<Error>& errors = inputs.findings.errors;
  std::vector<Error>& bad_arguments = take_configuration(options, in_snapshots, inputs);
  if (options.kai_exact) inputs.config.params.compatibility = Compatibility::kai_exact();
  inputs.policy = policy::make_policy(inputs.config, bad_arguments);
  add_live_rules(in_snapshots.state, inputs.policy);
  if (const std::string note = policy::usage_text(inputs.config);
      options.usage.empty() && in_snapshots.state.usage.empty() && !options.over_time && !note.empty())
    inputs.notes.push_back(note);
  inputs.policy.settings.usage = in_snapshots.state.usage;
  if (!options.usage.empty() && is_readable(options.usage, inputs.unreadable))
    inputs.policy.settings.usage = read_usage(options.usage, errors);
}

// Collects the warnings of the cluster and of the checks, and warns if there is nothing to schedule.
void check(const InputOptions& options, ManifestReader& reader, Inputs& inputs) {
  std::vector<ObjectWarning> warnings = inputs.cluster.take_warnings();
  const checks::Checked checked{inputs.cluster, policy::reclaims_by_lca(inputs.config)};
  for (ObjectWarning& warning : checks::check_all(checked)) warnings.push_back(std::move(warning));
  reader.add_warnings(std::move(warnings));
  const bool comes_later = !inputs.agenda.later.empty() || !inputs.agenda.steps.empty() ||
                           (inputs.trace && !inputs.trace->trace().jobs.empty());
  if (std::string nothing = checks::nothing_to_schedule(checked);
      !nothing.empty() && options.expects_work && !comes_later)
    inputs.findings.warnings.push_back({std::move(nothing), {}});
}

void add_usage_warnings(const std::string& file, Inputs& inputs) {
  for (const auto& [name, shares] : inputs.policy.settings.usage)
    if (const QueueId q = inputs.cluster.find_queue(name); !q.valid() || !inputs.cluster.queue(q).present)
      inputs.findings.warnings.push_back({"this queue does not exist", {.file = file, .path = name}});
}

// PodGroups of other API groups are accepted because such files are common, but they may belong to another
// scheduler.
void add_foreign_groups(Inputs& inputs) {
  for (auto& [group, first] : inputs.findings.foreign_groups) {
    const std::string others =
        first.count == 1 ? "" : fmt::format(" (and {})", counted(first.count - 1, "more PodGroup"));
    inputs.findings.warnings.push_back(
        {fmt::format("has API group {} and is treated as a KAI-Scheduler PodGroup{}", group, others),
         std::move(first.where)});
  }
}

void add_unknown_kinds(Inputs& inputs) {
  for (const auto& [kind, count] : inputs.findings.unknown_kinds)
    inputs.notes.push_back(
        fmt::format("{} of kind {} not used", counted(static_cast<std::size_t>(count), "object"), kind));
}

}  // namespace

bool is_readable(const std::string& file, std::vector<Error>& unreadable) {
  if (file == "-" || ::access(file.c_str(), R_OK) == 0) return true;
  unreadable.push_back({std::generic_category().message(errno), {.file = file}});
  return false;
}

int Inputs::exit_code(bool strict) const {
  if (!unreadable.empty() || std::ranges::any_of(findings.errors, &Error::is_outside))
    return kExternalFailure;
  return findings.errors.empty() && (!strict || findings.warnings.empty()) ? kSuccess : kNo;
}

Inputs read_all(const InputOptions& options, std::optional<loader::TraceInput> trace) {
  Inputs inputs;
  inputs.trace = std::move(trace);
  InSnapshots in_snapshots = look_for_snapshots(options.paths, inputs.kept);
  inputs.now = start_of(options, inputs.trace, in_snapshots.state);
  inputs.over_time = options.over_time;
  inputs.history = std::move(in_snapshots.state.history);
  read_configuration(options, in_snapshots, inputs);
  inputs.cluster = Cluster(policy::cluster_options(inputs.config.params));
  if (inputs.trace) inputs.trace->add_nodes(inputs);
  ManifestReader reader(inputs);
  for (const std::string& path : options.paths) reader.read(path);
  reader.finish();
  if (inputs.trace) inputs.trace->add_jobs(inputs);
  remember_evictions(in_snapshots.state, inputs.cluster);
  inputs.cluster.refresh(inputs.now);
  check(options, reader, inputs);
  add_foreign_groups(inputs);
  add_usage_warnings(options.usage, inputs);
  add_unknown_kinds(inputs);
  return inputs;
}

}  // namespace muster::loader
