// The subcommands. Each function adds one to the command line; the command sets `exit_code` when it runs.
#pragma once

namespace CLI {
class App;
}

namespace muster::cli {

// Runs scheduling cycles on a cluster read from files.
void add_simulate(CLI::App& app, int& exit_code);
// Checks manifests and configuration without scheduling.
void add_validate(CLI::App& app, int& exit_code);
// Explains why a job is pending and what would help.
void add_explain(CLI::App& app, int& exit_code);
// Shows the effect of a change.
void add_what_if(CLI::App& app, int& exit_code);
// Shows queues, pending jobs and nodes.
void add_top(CLI::App& app, int& exit_code);
// Generates traces of jobs and checks them.
void add_trace(CLI::App& app, int& exit_code);
// Schedules a live Kubernetes cluster.
void add_serve(CLI::App& app, int& exit_code);
// Runs in the pods that hold shared GPUs.
void add_reserve_gpu(CLI::App& app, int& exit_code);
// Writes the objects of a live cluster to one file.
void add_snapshot(CLI::App& app, int& exit_code);
// `muster version` and `muster --version`.
void add_version(CLI::App& app, int& exit_code);
// `muster help COMMAND`, for all commands that `app` has when it runs.
void add_help(CLI::App& app, int& exit_code);
// Prints a completion script for all commands that `app` has when it runs.
void add_completion(CLI::App& app, int& exit_code);

}  // namespace muster::cli
