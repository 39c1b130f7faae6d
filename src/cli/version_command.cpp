// `muster version`. CMakeLists.txt sets MUSTER_VERSION to the version of the project.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

int run_version(const std::string& output) {
  if (output == "json")
    write_json(nlohmann::ordered_json{{"name", "muster"}, {"version", MUSTER_VERSION}});
  else
    write_out("muster " MUSTER_VERSION "\n");
  return kSuccess;
}

}  // namespace

void add_version(CLI::App& app, int& exit_code) {
  app.set_version_flag("-V,--version", "muster " MUSTER_VERSION, "Print the version and exit");
  auto output = std::make_shared<std::string>("text");
  CLI::App* command = app.add_subcommand("version", "Print the version");
  command->group("Other");
  add_output_option(*command, *output);
  command->footer("Example:\n  muster version -o json");
  command->callback([output, &exit_code] { exit_code = run_version(*output); });
}

}  // namespace muster::cli
