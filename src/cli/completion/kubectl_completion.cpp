// Prints completions in the form that kubectl reads: one word per line, then a directive.
#include "cli/completion/kubectl_completion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cli {
namespace {

constexpr const char* kFilesAllowed = ":0\n";
constexpr const char* kNoFiles = ":4\n";

std::string of_commands(const std::vector<CommandWords>& commands, std::string_view begun) {
  std::string text;
  for (const CommandWords& command : commands)
    if (command.name.starts_with(begun)) text += fmt::format("{}\t{}\n", command.name, command.description);
  return text + kNoFiles;
}

// The option whose value comes next, or null.
const OptionWords* awaiting_value(const CommandWords& command, std::string_view word) {
  for (const OptionWords& option : command.options)
    if (option.takes_value && std::ranges::find(option.names, word) != option.names.end()) return &option;
  return nullptr;
}

std::string of_values(const OptionWords& option, std::string_view begun) {
  std::string text;
  for (const std::string& choice : option.choices)
    if (choice.starts_with(begun)) text += choice + "\n";
  return text + (option.takes_file ? kFilesAllowed : kNoFiles);
}

std::string of_options(const CommandWords& command, std::string_view begun) {
  std::string text;
  for (const OptionWords& option : command.options)
    for (const std::string& name : option.names)
      if (name.starts_with(begun)) text += fmt::format("{}\t{}\n", name, option.description);
  return text + kNoFiles;
}

}  // namespace

std::string kubectl_completion(const std::vector<CommandWords>& commands,
                               std::span<const std::string> words) {
  const std::string_view begun = words.empty() ? std::string_view() : words.back();
  if (words.size() < 2) return of_commands(commands, begun);
  const auto command = std::ranges::find(commands, words.front(), &CommandWords::name);
  if (command == commands.end()) return kNoFiles;
  if (words.size() > 2)
    if (const OptionWords* option = awaiting_value(*command, words[words.size() - 2]))
      return of_values(*option, begun);
  if (begun.starts_with('-')) return of_options(*command, begun);
  return command->takes_files ? kFilesAllowed : kNoFiles;
}

}  // namespace muster::cli
