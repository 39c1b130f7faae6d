// What kubectl asks a plugin's companion, kubectl_complete-muster, when somebody presses tab.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/completion/command_words.hpp"

namespace muster::cli {

// A line per word that could come next, with its description behind a tab, then the directive that cobra
// understands: `words` are those typed so far, the last of them perhaps in part.
std::string kubectl_completion(const std::vector<CommandWords>& commands, std::span<const std::string> words);

}  // namespace muster::cli
