// `muster help COMMAND`: prints the same text as `muster COMMAND --help`.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

std::vector<std::string_view> names_of_commands(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

}  // namespace

void add_help(CLI::App& app, int& exit_code) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Show the options of a command, with examples");
  command->group("Other");
  command->add_option("COMMAND", *name, "Command to describe (default: a summary of all commands)")
      ->check(is_one_of(names_of_commands(app)));
  command->footer("Example:\n  muster help simulate");
  command->callback([&app, name, &exit_code] {
    const CLI::App* const about = name->empty() ? &app : app.get_subcommand(*name);
    const std::string called = app.get_name() + (name->empty() ? "" : " " + *name);
    write_raw(app.get_formatter()->make_help(about, called, CLI::AppFormatMode::Normal));
    exit_code = kSuccess;
  });
}

}  // namespace muster::cli
