// `muster completion SHELL`: prints the completion script for a shell.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/completion/completion_scripts.hpp"
#include "cli/options.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

std::string script_for(const std::string& shell, const std::vector<CommandWords>& commands) {
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  return fish_completion(commands);
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a shell completion script");
  command->group("Other");
  command->add_option("SHELL", *shell, "Shell to print the script for")
      ->required()
      ->check(is_one_of({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(muster completion bash)\n"
      "  muster completion zsh > ~/.zfunc/_muster\n"
      "  muster completion fish > ~/.config/fish/completions/muster.fish");
  command->callback([&app, shell, &exit_code] {
    write_raw(script_for(*shell, command_words(app)));
    exit_code = kSuccess;
  });
}

}  // namespace muster::cli
