// Reads whole traces and reports invalid rows.
#include "cli/input/trace_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/options.hpp"
#include "terminal/exit_code.hpp"
#include "util/words.hpp"

namespace muster::cli {
namespace {

constexpr std::size_t kMostRowsReported = 25;

// The exit code for a file that cannot be opened, a file that is not a trace, or invalid options.
int exit_code_of(const Error& error) {
  if (error.is_outside) return kExternalFailure;
  return error.where.file.empty() ? kUsage : kNo;
}

template <class List>
void report(const List& list, const std::string& file, bool strict, Notices& notices) {
  const char* const what = strict ? "error" : "warning";
  for (std::size_t i = 0; i < std::min(list.bad_rows.size(), kMostRowsReported); ++i)
    notices.say(fmt::format("{}: {}", what, list.bad_rows[i].text()));
  if (list.skipped > kMostRowsReported)
    notices.say(fmt::format("{}: … and {}", what, counted(list.skipped - kMostRowsReported, "more row")));
  if (list.skipped > 0)
    notices.say(fmt::format("{}: {}: skipped {} of {}", what, file, grouped(list.skipped),
                            counted(list.rows, "row")));
  for (const std::string& note : list.notes) notices.say(fmt::format("note: {}: {}", file, note));
}

// Moves the result of reading into `list`. Returns false and sets `exit_code` if it cannot be used.
template <class List>
bool take(Result<List> read, const std::string& file, bool strict, Notices& notices, List& list,
          int& exit_code) {
  if (!read) {
    notices.say("error: " + read.error().text());
    exit_code = exit_code_of(read.error());
    return false;
  }
  list = std::move(*read);
  report(list, file, strict, notices);
  if (strict && list.skipped > 0) exit_code = kNo;
  return exit_code == kSuccess;
}

}  // namespace

void add_trace_map_options(CLI::App& command, loader::TraceInputOptions& options) {
  command.add_option("--trace-format", options.format, "Format of a public trace whose columns are known")
      ->check(is_one_of(trace::format_names()));
  command
      .add_option("--trace-map", options.map,
                  "Map columns to fields: 'submit=created, duration=end-start, gpus=num_gpu*milli/1000'")
      ->type_name("MAP");
  command
      .add_option("--trace-nodes", options.nodes,
                  "Nodes: CSV with node, gpus, cpu, memory (GiB) and model, or the node list of the format")
      ->type_name("FILE");
}

void add_trace_options(CLI::App& command, loader::TraceInputOptions& options) {
  command
      .add_option("--trace", options.trace,
                  "Jobs over time: CSV with submit, job, queue, pods, gpus, duration …, or JSON lines")
      ->type_name("FILE");
  add_trace_map_options(command, options);
}

std::optional<loader::TraceInput> read_trace_input(const loader::TraceInputOptions& options, bool strict,
                                                   Notices& notices, int& exit_code) {
  trace::Trace jobs;
  trace::NodeList nodes;
  exit_code = kSuccess;
  if (!options.trace.empty() &&
      !take(trace::read_trace({.file = options.trace, .format = options.format, .map = options.map}),
            options.trace, strict, notices, jobs, exit_code))
    return std::nullopt;
  if (!options.nodes.empty() && !take(trace::read_nodes({.file = options.nodes, .format = options.format}),
                                      options.nodes, strict, notices, nodes, exit_code))
    return std::nullopt;
  return loader::TraceInput(std::move(jobs), std::move(nodes));
}

}  // namespace muster::cli
