// The words of the command line as data, read off the parser: for completions and for suggestions.
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
  std::vector<std::string> choices;  // of its value
  bool takes_value = false;
  bool takes_file = false;
};

struct CommandWords {
  std::string name, description;
  std::vector<OptionWords> options;
  std::vector<std::string> choices;  // of its arguments, or the commands below it
  bool takes_files = false;
  bool has_commands = false;  // below it, whose options are among its own here
};

std::vector<CommandWords> command_words(const CLI::App& app);

}  // namespace muster::cli
