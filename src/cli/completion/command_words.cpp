// Reads the names, descriptions and choices of commands and options off CLI11's parser.
#include "cli/completion/command_words.hpp"

#include <CLI/CLI.hpp>

namespace muster::cli {
namespace {

// CLI11 describes a closed choice as "TEXT:{text,json}".
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

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words{.name = sub->get_name(), .description = sub->get_description()};
    for (const CLI::Option* option : sub->get_options())
      if (option->get_positional())
        add_argument(*option, words);
      else
        words.options.push_back(option_words(*option));
    commands.push_back(std::move(words));
  }
  return commands;
}

}  // namespace muster::cli
