// `muster version`. MUSTER_VERSION comes from the project's version in CMakeLists.txt.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace muster::cli {
namespace {

int run_version(const std::string& output) {
  if (output == "json")
    fmt::print("{{\n \"name\": \"muster\",\n \"version\": \"{}\"\n}}\n", MUSTER_VERSION);
  else
    fmt::print("muster {}\n", MUSTER_VERSION);
  return kSuccess;
}

}  // namespace

void add_version(CLI::App& app, int& exit_code) {
  app.set_version_flag("-V,--version", "muster " MUSTER_VERSION, "Print the version and exit");
  auto output = std::make_shared<std::string>("text");
  CLI::App* command = app.add_subcommand("version", "Print the version");
  command->group("This program");
  add_output_option(*command, *output);
  command->footer("Example:\n  muster version -o json");
  command->callback([output, &exit_code] { exit_code = run_version(*output); });
}

}  // namespace muster::cli
