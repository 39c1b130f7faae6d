// `muster explain`: explains why a job is pending, why it runs on its nodes, or why it was evicted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "answers/find_job.hpp"
#include "answers/json.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/explain/explain_text.hpp"
#include "cli/explain/recorded_state.hpp"
#include "cli/input/read_inputs.hpp"
#include "cli/input/state_source.hpp"
#include "cli/options.hpp"
#include "loader/inputs.hpp"
#include "loader/known_classes.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

struct ExplainCommand {
  loader::InputOptions inputs;
  StateSource source;
  std::string job, ns, output = "text";
  std::string record, at;  // a recorded simulation, and the time in it
  bool is_quick = false;
};

int no_such_job(const answers::FoundJob& found) {
  write_message("error: {}", found.problem);
  return found.is_ambiguous ? kUsage : kNo;
}

void print(const ExplainCommand& options, const loader::Inputs& inputs, const answers::Explanation& e) {
  if (options.output == "json") return write_json(answers::explanation_json(inputs.cluster, e));
  const TextStyle style{.paint = Painter::for_stream(stdout), .width = columns_of(stdout, kWidthOfFiles)};
  write_out(explanation_text(inputs.cluster, e, inputs.now, style));
}

int run_explain(const ExplainCommand& options) {
  TemporaryFile live;
  loader::InputOptions wanted = options.inputs;
  int exit_code = add_source_files(options.source, live, wanted);
  if (exit_code != kSuccess) return exit_code;
  auto inputs = read_inputs(wanted, exit_code);
  if (!inputs) return exit_code;
  loader::add_shipped_priority_classes(inputs->cluster);
  inputs->cluster.refresh(inputs->now);
  const answers::FoundJob found = answers::find_job(inputs->cluster, options.job, options.ns);
  if (!found.job.valid()) return no_such_job(found);
  const answers::KnownTimes times = inputs->known_times();
  const answers::State state{inputs->cluster, inputs->policy, inputs->now, &times};
  print(
      options, *inputs,
      answers::explain(state, found.job, {.is_quick = options.is_quick, .threads = answers::threads_here()}));
  return kSuccess;
}

// ---------------------------------------------------------------- jobs of a recorded simulation

// Returns the reason why the job does not exist at `now`, or "" if the record does not show it.
std::string why_absent(const RecordedState& state, const std::string& name, TimePoint now) {
  const RecordedJob job = state.job(name);
  if (job.ended && *job.ended <= now) return fmt::format("{} ended at {}", name, format_time(*job.ended));
  if (job.submitted && *job.submitted > now)
    return fmt::format("{} is submitted at {}, after {}", name, format_time(*job.submitted),
                       format_time(now));
  return "";
}

int explain_recorded(const ExplainCommand& options) {
  int exit_code = kSuccess;
  auto state = RecordedState::read(options.record, options.at, options.inputs, exit_code);
  if (!state) return exit_code;
  loader::Inputs& inputs = state->inputs();
  loader::add_shipped_priority_classes(inputs.cluster);
  inputs.cluster.refresh(inputs.now);
  const answers::FoundJob found = answers::find_job(inputs.cluster, options.job, options.ns);
  if (!found.job.valid()) {
    const bool is_full = options.job.find('/') != options.job.npos;
    const std::string full =
        is_full ? options.job : (options.ns.empty() ? "default" : options.ns) + "/" + options.job;
    const std::string why = why_absent(*state, full, inputs.now);
    if (why.empty()) return no_such_job(found);
    write_message("error: {}", why);
    return kNo;
  }
  const answers::State known{inputs.cluster, inputs.policy, inputs.now, &state->times()};
  answers::Explanation e =
      answers::explain(known, found.job, {.is_quick = options.is_quick, .plays_futures = false});
  RecordedJob job = state->job(inputs.cluster.job(found.job).full_name());
  const bool waits = e.state == answers::JobState::kWaiting || e.state == answers::JobState::kEvicted;
  // If the next cycle would evict the job, that eviction takes precedence over the recorded one.
  const bool is_evicted_next = e.receipt && !e.receipt->action.empty();
  if (waits && !is_evicted_next && job.eviction) {
    e.receipt = std::move(job.eviction);
    e.state = answers::JobState::kEvicted;
    e.since = parse_time(e.receipt->at);
  }
  if (!options.is_quick) e.recorded_start = job.start;
  print(options, inputs, e);
  return kSuccess;
}

int run(const ExplainCommand& options) {
  if (options.record.empty() && options.at.empty()) return run_explain(options);
  if (options.record.empty() || options.at.empty()) {
    write_message("error: --record and --at must be given together");
    return kUsage;
  }
  if (options.source.is_live || !options.source.server.empty() || !options.inputs.now.empty()) {
    write_message("error: --record cannot be combined with --now or a live cluster");
    return kUsage;
  }
  return explain_recorded(options);
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainCommand>();
  CLI::App* command =
      app.add_subcommand("explain", "Explain why a job waits, runs where it does or was evicted");
  command->group("Inspect jobs");
  command
      ->add_option("JOB", options->job, "The job: its name, namespace/name, or the name of one of its pods")
      ->required();
  add_input_options(*command, options->inputs, {.needs_files = false});
  add_source_options(*command, options->source);
  command->add_option("-n,--namespace", options->ns, "Namespace of the job")->type_name("NAMESPACE");
  command
      ->add_option("--record", options->record,
                   "Explain a job of a simulation recorded with `muster simulate --record`")
      ->type_name("FILE");
  command
      ->add_option("--at", options->at, "Point in the recorded run: a timestamp, or an offset from its start")
      ->type_name("T");
  command->add_flag("--quick", options->is_quick, "Skip what would help and the expected start");
  add_output_option(*command, options->output);
  command->footer(
      "The first sentence says what the next cycle does with the job. Then follow its queue position, the\n"
      "rules and nodes that refuse it, the searches for victims, single changes that would help (tested,\n"
      "with their cost for other jobs), and its expected start. Exits with 1 if there is no such job.\n\n"
      "Examples:\n"
      "  muster explain train-large cluster.yaml\n"
      "  muster explain team-a/train-large nodes.yaml queues.yaml jobs/ --now 2025-06-01T12:00:00Z\n"
      "  muster explain train-large-0 cluster.yaml --quick -o json\n"
      "  muster explain train-large --record run.jsonl --at 3h");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace muster::cli
