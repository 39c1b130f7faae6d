// Shell scripts that complete muster's command line.
#pragma once

#include <string>
#include <vector>

#include "cli/completion/command_words.hpp"

namespace muster::cli {

std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);
std::string fish_completion(const std::vector<CommandWords>& commands);

}  // namespace muster::cli
