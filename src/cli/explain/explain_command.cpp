// `muster explain`: why a job waits, runs where it runs, or was evicted.
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
#include "cli/input/inputs.hpp"
#include "cli/input/known_classes.hpp"
#include "cli/input/state_source.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace muster::cli {
namespace {

struct ExplainCommand {
  InputOptions inputs;
  StateSource source;
  std::string job, ns, output = "text";
  bool is_quick = false;
};

int run_explain(const ExplainCommand& options) {
  TemporaryFile live;
  InputOptions wanted = options.inputs;
  int exit_code = take_source(options.source, live, wanted);
  if (exit_code != kSuccess) return exit_code;
  auto inputs = read_inputs(wanted, exit_code);
  if (!inputs) return exit_code;
  add_known_classes(inputs->cluster);
  inputs->cluster.refresh(inputs->now);
  const answers::FoundJob found = answers::find_job(inputs->cluster, options.job, options.ns);
  if (!found.job.valid()) {
    fmt::print(stderr, "error: {}\n", found.problem);
    return found.is_ambiguous ? kUsage : kNo;
  }
  const answers::KnownTimes times = inputs->known_times();
  const answers::State state{inputs->cluster, inputs->policy, inputs->now, &times};
  const answers::Explanation e = answers::explain(state, found.job, {.is_quick = options.is_quick});
  if (options.output == "json") {
    write_out(answers::explanation_json(inputs->cluster, e).dump(1) + "\n");
    return kSuccess;
  }
  const TextStyle style{.paint = Paint::for_stream(stdout), .width = columns_of(stdout, kWidthOfFiles)};
  write_out(explanation_text(inputs->cluster, e, inputs->now, style));
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainCommand>();
  CLI::App* command =
      app.add_subcommand("explain", "Why a job waits, runs there or was evicted, and what would help");
  command->group("Ask about jobs");
  command->add_option("JOB", options->job, "A job: its name, namespace/name, or a pod of it")->required();
  add_input_options(*command, options->inputs, {.needs_files = false});
  add_source_options(*command, options->source);
  command->add_option("-n,--namespace", options->ns, "The namespace of the job")->type_name("NAMESPACE");
  command->add_flag("--quick", options->is_quick, "Leave out what would help and when it starts");
  add_output_option(*command, options->output);
  command->footer(
      "Says in one sentence what becomes of the job in the next cycle, then its place in line, which rule\n"
      "and which nodes refuse it, what was tried, which single changes would help (each was tried, at what\n"
      "price for others), and when it will start. Exits with 1 if there is no such job.\n\n"
      "Examples:\n"
      "  muster explain train-large cluster.yaml\n"
      "  muster explain team-a/train-large nodes.yaml queues.yaml jobs/ --now 2025-06-01T12:00:00Z\n"
      "  muster explain train-large-0 cluster.yaml --quick -o json");
  command->callback([options, &exit_code] { exit_code = run_explain(*options); });
}

}  // namespace muster::cli
