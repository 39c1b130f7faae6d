// The flags that name a trace, and reading it with messages on standard error.
#pragma once

#include <optional>

#include "cli/input/trace_options.hpp"
#include "loader/trace_input.hpp"
#include "terminal/output.hpp"

namespace CLI {
class App;
}

namespace muster::cli {

// Adds --trace and the options that say how to read it.
void add_trace_options(CLI::App& command, loader::TraceInputOptions& options);
// Adds the same options without --trace.
void add_trace_map_options(CLI::App& command, loader::TraceInputOptions& options);

// Reads a trace and prints invalid rows to standard error; `strict` makes them an error. Returns nullopt and
// sets `exit_code` if the trace cannot be used.
std::optional<loader::TraceInput> read_trace_input(const loader::TraceInputOptions& options, bool strict,
                                                   Notices& notices, int& exit_code);

}  // namespace muster::cli
