// The commands below `muster trace`.
#pragma once

namespace CLI {
class App;
}

namespace muster::cli {

// Writes a synthetic trace.
void add_trace_make(CLI::App& app, int& exit_code);
// Summarises a trace and reports invalid rows.
void add_trace_check(CLI::App& app, int& exit_code);

}  // namespace muster::cli
