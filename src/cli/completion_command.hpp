// `muster completion`: the script that teaches a shell to complete muster's command line.
#pragma once

#include <CLI/CLI.hpp>

namespace muster::cli {

// The script covers the commands that `app` has when the command runs.
void add_completion(CLI::App& app, int& exit_code);

}  // namespace muster::cli
