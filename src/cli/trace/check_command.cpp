// `muster trace check`: summarises a trace and reports invalid rows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/input/trace_options.hpp"
#include "cli/options.hpp"
#include "cli/trace/trace_commands.hpp"
#include "loader/trace_input.hpp"
#include "model/resources.hpp"
#include "terminal/output.hpp"
#include "terminal/paint.hpp"
#include "terminal/table.hpp"
#include "trace/nodes.hpp"
#include "trace/summary.hpp"
#include "trace/values.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;
using trace::QueueSummary;
using trace::Trace;
using trace::TraceSummary;

struct CheckFlags {
  loader::TraceInputOptions trace;
  std::string output = "text";
  bool strict = false;
};

constexpr double kSecondsOfHour = 3600;

double gpus_of(const trace::NodeList& nodes) {
  double gpus = 0;
  for (const NodeObject& node : nodes.nodes)
    for (const NamedAmount& amount : node.allocatable)
      if (amount.name == "nvidia.com/gpu") gpus += static_cast<double>(amount.units) / kOneGpu;
  return gpus;
}

// The requested GPU time as a share of the GPU time of the nodes between the first and the last submission.
std::optional<double> load_of(const TraceSummary& summary, const trace::NodeList& nodes) {
  const double offered = gpus_of(nodes) * trace::seconds(summary.span);
  if (offered <= 0) return std::nullopt;
  return summary.all.gpu_seconds / offered;
}

// ---- text

std::vector<Cell> row_of(const std::string& name, const QueueSummary& queue) {
  return {name,
          grouped(queue.jobs),
          grouped(queue.pods),
          queue.users > 0 ? grouped(queue.users) : "",
          grouped_decimal(queue.gpus_of_largest),
          grouped_decimal(std::round(queue.gpu_seconds / kSecondsOfHour))};
}

Text table_text(const TraceSummary& summary, const Painter& paint) {
  Table table({{"QUEUE"},
               {"JOBS", Align::kRight},
               {"PODS", Align::kRight},
               {.title = "USERS", .align = Align::kRight, .only_if_filled = true},
               {"LARGEST", Align::kRight},
               {"GPU-HOURS", Align::kRight}});
  for (const QueueSummary& queue : summary.queues) table.add(row_of(queue.name, queue));
  table.add(row_of("total", summary.all));
  return table.text({.paint = paint});
}

std::string span_text(const Trace& trace, const TraceSummary& summary) {
  if (trace.jobs.empty()) return "no jobs";
  const std::string first = trace.has_instants ? ", starting " + format_time(trace.jobs.front().submit) : "";
  return fmt::format("{} submitted in {}{}", counted(trace.jobs.size(), "job"), format_age(summary.span),
                     first);
}

Text check_text(const loader::TraceInput& input, const TraceSummary& summary, const Painter& paint) {
  const Trace& trace = input.trace();
  Text text = table_text(summary, paint);
  text += Text(span_text(trace, summary));
  if (summary.endless > 0) text += format_text("; {} never finish", grouped(summary.endless));
  if (summary.drawn > 0) text += format_text("; {} have random durations", grouped(summary.drawn));
  if (const auto load = load_of(summary, input.nodes()))
    text += format_text("; average load {:.0f} % of {} GPUs on {}", *load * 100,
                        grouped_decimal(gpus_of(input.nodes())), counted(input.nodes().nodes.size(), "node"));
  text += format_text("\n{}: {} skipped\n", counted(trace.rows, "row"), grouped(trace.skipped));
  return text;
}

// ---- JSON

ordered_json json_of(const QueueSummary& queue) {
  return {{"jobs", queue.jobs},
          {"pods", queue.pods},
          {"users", queue.users},
          {"gpusOfLargestJob", queue.gpus_of_largest},
          {"gpuSeconds", queue.gpu_seconds}};
}

ordered_json check_json(const loader::TraceInput& input, const TraceSummary& summary) {
  const Trace& trace = input.trace();
  ordered_json queues = ordered_json::array();
  for (const QueueSummary& queue : summary.queues) {
    queues.push_back({{"name", queue.name}});
    queues.back().update(json_of(queue));
  }
  const auto load = load_of(summary, input.nodes());
  return {{"schema", "muster.dev/trace/v1"},
          {"rows", trace.rows},
          {"skipped", trace.skipped},
          {"from", trace.has_instants && !trace.jobs.empty()
                       ? ordered_json(format_time(trace.jobs.front().submit))
                       : ordered_json()},
          {"spanSeconds", trace::seconds(summary.span)},
          {"endless", summary.endless},
          {"drawn", summary.drawn},
          {"nodes", input.nodes().nodes.size()},
          {"gpus", gpus_of(input.nodes())},
          {"load", load ? ordered_json(*load) : ordered_json()},
          {"all", json_of(summary.all)},
          {"queues", std::move(queues)}};
}

int run_check(const CheckFlags& flags) {
  int exit_code = kSuccess;
  Notices notices;
  const auto input = read_trace_input(flags.trace, flags.strict, notices, exit_code);
  if (!input) return exit_code;
  const TraceSummary summary = summary_of(input->trace());
  if (flags.output == "json")
    write_json(check_json(*input, summary));
  else
    write_out(check_text(*input, summary, Painter::for_stream(stdout)));
  return exit_code;
}

}  // namespace

void add_trace_check(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = app.add_subcommand("check", "Summarise a trace and report invalid rows");
  command
      ->add_option("FILE", flags->trace.trace,
                   "CSV with a header or JSON lines, also .gz or .zst; - for standard input")
      ->required();
  add_trace_map_options(*command, flags->trace);
  add_output_option(*command, flags->output);
  command->add_flag("--strict", flags->strict, "Treat invalid rows as errors");
  command->footer(
      "Invalid rows are reported with line and column and skipped.\n\n"
      "Examples:\n"
      "  muster trace check jobs.csv\n"
      "  muster trace check openb_pod_list_default.csv --trace-format openb \\\n"
      "    --trace-nodes openb_node_list_gpu_node.csv\n"
      "  muster trace check log.csv --trace-map 'submit=submitted, duration=end-start, gpus=n_gpu'");
  command->callback([flags, &exit_code] { exit_code = run_check(*flags); });
}

}  // namespace muster::cli
