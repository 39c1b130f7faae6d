// The words of the command line as data, read from the parser: for completions and suggestions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace muster::cli {

struct OptionWords {
  std::vector<std::string> names;  // "-o", "--output"
  std::string description;
  std::vector<std::string> choices;  // the possible values, if they are a fixed set
  bool takes_value = false;
  bool takes_file = false;
};

struct CommandWords {
  std::string name, description;
  std::vector<OptionWords> options;
  std::vector<std::string> choices;  // its possible arguments, or its subcommands
  bool takes_files = false;
  bool has_commands = false;  // it has subcommands, whose options are merged into `options`
};

std::vector<CommandWords> command_words(const CLI::App& app);

}  // namespace muster::cli
