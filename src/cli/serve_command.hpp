// `muster serve`: the scheduler of a live Kubernetes cluster.
#pragma once

#include <CLI/CLI.hpp>

namespace muster::cli {

// Adds the sub command; its exit code arrives in `exit_code` when it was the one called.
void add_serve(CLI::App& app, int& exit_code);

}  // namespace muster::cli
