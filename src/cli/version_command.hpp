// `muster version`.
#pragma once

#include <CLI/CLI.hpp>

namespace muster::cli {

void add_version(CLI::App& app, int& exit_code);

}  // namespace muster::cli
