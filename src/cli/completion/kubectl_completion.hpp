// The completions that kubectl requests from kubectl_complete-muster when the user presses tab.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/completion/command_words.hpp"

namespace muster::cli {

// Returns one line per possible next word, with its description after a tab, and then a directive for cobra.
// `words` are the words typed so far; the last one may be incomplete.
std::string kubectl_completion(const std::vector<CommandWords>& commands, std::span<const std::string> words);

}  // namespace muster::cli
