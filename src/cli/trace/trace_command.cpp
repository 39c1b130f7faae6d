// `muster trace`: generates and checks traces.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/trace/trace_commands.hpp"

namespace muster::cli {

void add_trace(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("trace", "Generate or check a trace of jobs for simulate");
  command->group("Try a policy on files");
  command->require_subcommand(1);
  add_trace_make(*command, exit_code);
  add_trace_check(*command, exit_code);
  command->footer(
      "Examples:\n"
      "  muster trace make --jobs 10000 --days 7 > jobs.csv\n"
      "  muster trace check jobs.csv\n"
      "  muster trace make --help");
}

}  // namespace muster::cli
