// Writes the completion scripts for bash, zsh and fish.
#include "cli/completion/completion_scripts.hpp"

#include <fmt/format.h>

namespace muster::cli {
namespace {

std::string all_names(const CommandWords& command) {
  std::vector<std::string> words;
  for (const OptionWords& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  words.insert(words.end(), command.choices.begin(), command.choices.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string command_names(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string in_single_quotes(std::string_view text) {
  return "'" + replaced(std::string(text), "'", R"('\'')") + "'";
}

// ---- bash

std::string bash_values(const CommandWords& command) {
  std::string cases;
  for (const OptionWords& option : command.options) {
    if (!option.takes_value) continue;
    const std::string reply =
        option.choices.empty()
            ? (option.takes_file ? R"(COMPREPLY=($(compgen -f -- "$word")))" : "COMPREPLY=()")
            : fmt::format(R"(COMPREPLY=($(compgen -W "{}" -- "$word")))", fmt::join(option.choices, " "));
    cases += fmt::format("    {}:{}) {}; return ;;\n", command.name,
                         fmt::join(option.names, "|" + command.name + ":"), reply);
  }
  return cases;
}

std::string bash_words(const CommandWords& command) {
  const std::string files =
      command.takes_files ? R"( [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word")))" : "";
  return fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\"));{} ;;\n", command.name,
                     all_names(command), files.empty() ? "" : files);
}

// ---- zsh

// Escapes characters that are special to zsh in descriptions.
std::string zsh_description(const std::string& text) {
  std::string plain = text;
  for (const char* special : {"[", "]", ":"}) plain = replaced(plain, special, std::string("\\") + special);
  return plain;
}

std::string zsh_option(const OptionWords& option) {
  std::string value;
  if (!option.choices.empty())
    value = fmt::format(":value:({})", fmt::join(option.choices, " "));
  else if (option.takes_file)
    value = ":file:_files";
  else if (option.takes_value)
    value = ":value: ";
  std::string specs;
  for (const std::string& name : option.names)
    specs += " \\\n        " +
             in_single_quotes(fmt::format("{}[{}]{}", name, zsh_description(option.description), value));
  return specs;
}

std::string zsh_command(const CommandWords& command) {
  std::string text = fmt::format("    {}) _arguments", command.name);
  for (const OptionWords& option : command.options) text += zsh_option(option);
  if (!command.choices.empty())
    text += " \\\n        " + in_single_quotes(fmt::format("1:word:({})", fmt::join(command.choices, " ")));
  if (command.takes_files) text += " \\\n        '*:file:_files'";
  return text + " ;;\n";
}

// ---- fish

std::string fish_option(const CommandWords& command, const OptionWords& option) {
  std::string line = fmt::format("complete -c muster -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  else if (option.takes_file)
    line += " -r -F";
  else if (option.takes_value)
    line += " -x";
  return line + " -d " + in_single_quotes(option.description) + "\n";
}

std::string fish_command(const CommandWords& command) {
  std::string text = fmt::format("complete -c muster -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                                 in_single_quotes(command.description));
  if (!command.takes_files)
    text += fmt::format("complete -c muster -n '__fish_seen_subcommand_from {}' -f\n", command.name);
  if (!command.choices.empty())
    text += fmt::format("complete -c muster -n '__fish_seen_subcommand_from {}' -a '{}'\n", command.name,
                        fmt::join(command.choices, " "));
  for (const OptionWords& option : command.options) text += fish_option(command, option);
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string values, words;
  for (const CommandWords& command : commands) values += bash_values(command), words += bash_words(command);
  return fmt::format(R"(_muster() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case $command:$before in
{}  esac
  case $command in
{}  esac
}}
complete -o filenames -F _muster muster
)",
                     command_names(commands), values, words);
}

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string list, cases;
  for (const CommandWords& command : commands) {
    list += "    " + in_single_quotes(command.name + ":" + zsh_description(command.description)) + "\n";
    cases += zsh_command(command);
  }
  return fmt::format(R"(#compdef muster
_muster() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}  esac
}}
compdef _muster muster
)",
                     list, cases);
}

std::string fish_completion(const std::vector<CommandWords>& commands) {
  std::string text;
  for (const CommandWords& command : commands) text += fish_command(command);
  return text;
}

}  // namespace muster::cli
