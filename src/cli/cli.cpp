// Sub commands and exit codes.
#include "cli/cli.hpp"

#include <CLI/CLI.hpp>

#include "cli/simulate_command.hpp"

namespace muster::cli {

int run(int argc, char** argv) {
  CLI::App app("muster: a Kubernetes scheduler for AI clusters", "muster");
  app.require_subcommand(1);
  int exit_code = kSuccess;
  add_simulate(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kSuccess : kUsage;
  }
  return exit_code;
}

}  // namespace muster::cli
