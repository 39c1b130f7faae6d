// Assembles the subcommands, suggests corrections for unknown words, and maps errors to exit codes.
#include "cli/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <span>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/completion/command_words.hpp"
#include "cli/completion/kubectl_completion.hpp"
#include "cli/input/state_source.hpp"
#include "terminal/output.hpp"
#include "util/suggest.hpp"

namespace muster::cli {
namespace {

std::string unknown(const char* what, std::string_view word, const std::vector<std::string_view>& known) {
  return fmt::format("unknown {} \"{}\"{}", what, word, did_you_mean(word, known));
}

// Returns a message if the command has no such option, else "".
std::string unknown_option(std::string_view argument, const CommandWords& command) {
  const std::string_view name = argument.substr(0, argument.find('='));
  std::vector<std::string_view> known;
  for (const OptionWords& option : command.options)
    known.insert(known.end(), option.names.begin(), option.names.end());
  if (std::find(known.begin(), known.end(), name) != known.end()) return "";
  return unknown("option", name, known);
}

// Returns a message if the second word of a command with subcommands is unknown ("trace mak"), else "".
std::string unknown_subcommand(const CommandWords& command, std::span<char* const> arguments) {
  if (!command.has_commands || arguments.size() < 2 || *arguments[1] == '-') return "";
  if (std::ranges::find(command.choices, arguments[1]) != command.choices.end()) return "";
  return unknown(fmt::format("subcommand of {}", command.name).c_str(), arguments[1],
                 {command.choices.begin(), command.choices.end()});
}

// Returns a message for the first word that is neither a known command nor one of its options, with the
// nearest known word; "" if all words are known.
std::string unknown_word(const CLI::App& app, std::span<char* const> arguments) {
  if (arguments.empty() || *arguments.front() == '-') return "";
  const auto is_hidden = [&](const CLI::App* command) {
    return command->get_group().empty() && command->get_name() == arguments.front();
  };
  if (!app.get_subcommands(is_hidden).empty()) return "";
  const std::vector<CommandWords> commands = command_words(app);
  const auto command = std::ranges::find(commands, arguments.front(), &CommandWords::name);
  if (command == commands.end()) {
    std::vector<std::string_view> names;
    for (const CommandWords& c : commands) names.push_back(c.name);
    return unknown("command", arguments.front(), names);
  }
  if (std::string problem = unknown_subcommand(*command, arguments); !problem.empty()) return problem;
  for (const std::string_view argument : arguments.subspan(1)) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    if (std::string problem = unknown_option(argument, *command); !problem.empty()) return problem;
  }
  return "";
}

void describe(CLI::App& app) {
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.footer(
      "Exit codes: 0 success, 1 negative result (e.g. an invalid file), 2 usage error, 3 external failure\n"
      "(a file cannot be read, output cannot be written), 130 interrupted by Ctrl-C.\n"
      "`muster help COMMAND` shows the options of a command, with examples.\n\n"
      "Example:\n"
      "  muster simulate nodes.yaml queues.yaml jobs/ --cycles 3");
}

bool takes_a_value(const CLI::App& command, const std::string& option) {
  const CLI::Option* const known = command.get_option_no_throw(option);
  return (known != nullptr && known->get_items_expected_min() > 0) ||
         std::ranges::any_of(command.get_subcommands([](const CLI::App*) { return true; }),
                             [&](const CLI::App* below) { return takes_a_value(*below, option); });
}

// CLI11 uses the next argument as the value of "--name=", but accepts an empty value as a separate argument.
// Splits such arguments. The result is in the order that CLI11 expects: the last argument first.
std::vector<std::string> split_empty_values(const CLI::App& app, std::span<char* const> arguments) {
  const auto named = app.get_subcommands(
      [&](const CLI::App* known) { return !arguments.empty() && known->check_name(arguments.front()); });
  const CLI::App* const command = named.empty() ? nullptr : named.front();
  std::vector<std::string> result;
  for (const std::string_view argument : arguments) {
    const std::string name(argument.substr(0, argument.size() - argument.ends_with('=')));
    const bool is_empty = name.size() < argument.size() && name.starts_with("--") && command != nullptr &&
                          takes_a_value(*command, name);
    result.emplace_back(is_empty ? name : argument);
    if (is_empty) result.emplace_back();
  }
  std::ranges::reverse(result);
  return result;
}

// Prints what the exception asks for. CLI11 also throws for --help and --version.
int print_parse_result(const CLI::App& app, const CLI::ParseError& e) {
  std::ostringstream help, ignored;
  if (app.exit(e, help, ignored) != 0) {
    write_message("{}\nRun with --help for more information.", e.what());
    return kUsage;
  }
  write_raw(help.str());
  return kSuccess;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const int& exit_code) {
  const std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0)));
  if (const std::string problem = unknown_word(app, arguments); !problem.empty()) {
    write_message("error: {}\nRun with --help for more information.", problem);
    return kUsage;
  }
  try {
    app.parse(split_empty_values(app, arguments));
  } catch (const CLI::ParseError& e) {
    return print_parse_result(app, e);
  } catch (const std::bad_alloc&) {
    write_message("error: out of memory");
    return kExternalFailure;
  }
  return exit_code;
}

// kubectl finds its plugins by file name, so the name tells how the program was called.
std::string_view name_of_program(int argc, char** argv) {
  if (argc < 1 || argv[0] == nullptr) return "";
  const std::string_view path = argv[0];
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("muster: a Kubernetes scheduler for AI clusters", "muster");
  int exit_code = kSuccess;
  describe(app);
  add_simulate(app, exit_code);
  add_validate(app, exit_code);
  add_explain(app, exit_code);
  add_what_if(app, exit_code);
  add_top(app, exit_code);
  add_trace(app, exit_code);
  add_serve(app, exit_code);
  add_reserve_gpu(app, exit_code);
  add_snapshot(app, exit_code);
  add_version(app, exit_code);
  add_completion(app, exit_code);
  add_help(app, exit_code);
  handle_broken_files();
  const std::string_view called_as = name_of_program(argc, argv);
  if (called_as == "kubectl_complete-muster") {
    write_raw(kubectl_completion(command_words(app), std::vector<std::string>(argv + 1, argv + argc)));
    return finish_output(kSuccess);
  }
  const bool is_plugin = called_as == "kubectl-muster";
  set_kubectl_plugin(is_plugin);
  if (is_plugin) app.name("kubectl muster");
  return finish_output(parse_and_run(app, argc, argv, exit_code));
}

}  // namespace muster::cli
