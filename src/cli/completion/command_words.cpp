// Reads the names, descriptions and choices of commands and options from CLI11's parser.
#include "cli/completion/command_words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace muster::cli {
namespace {

// CLI11 describes a fixed set of choices as "TEXT:{text,json}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

OptionWords option_words(const CLI::Option& option) {
  OptionWords words{.description = option.get_description(),
                    .choices = choices_of(option),
                    .takes_value = option.get_items_expected_min() > 0,
                    .takes_file = option.get_type_name() == "FILE"};
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  return words;
}

void add_argument(const CLI::Option& option, CommandWords& words) {
  words.choices = choices_of(option);
  words.takes_files |= words.choices.empty();
}

void add_option(const CLI::Option& option, CommandWords& words) {
  if (option.get_positional()) return add_argument(option, words);
  OptionWords added = option_words(option);
  const auto is_known = [&](const OptionWords& other) { return other.names == added.names; };
  if (std::ranges::none_of(words.options, is_known)) words.options.push_back(std::move(added));
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

// Offers the options of a subcommand for its parent command as well.
void add_command_below(const CLI::App& below, CommandWords& words) {
  for (const CLI::Option* option : below.get_options()) add_option(*option, words);
  words.has_commands = true;
}

CommandWords words_of(const CLI::App& command) {
  CommandWords words{.name = command.get_name(), .description = command.get_description()};
  for (const CLI::Option* option : command.get_options()) add_option(*option, words);
  for (const CLI::App* below : commands_of(command)) add_command_below(*below, words);
  if (words.has_commands) words.choices.clear();
  for (const CLI::App* below : commands_of(command)) words.choices.push_back(below->get_name());
  return words;
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : commands_of(app)) commands.push_back(words_of(*command));
  return commands;
}

}  // namespace muster::cli
