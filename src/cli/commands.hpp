// The sub commands. Each adds itself to the command line; its exit code arrives in `exit_code` when it was
// the one called.
#pragma once

namespace CLI {
class App;
}

namespace muster::cli {

// Runs cycles on a cluster read from files.
void add_simulate(CLI::App& app, int& exit_code);
// Checks manifests and configuration without deciding anything.
void add_validate(CLI::App& app, int& exit_code);
// Why a job waits, and what would help.
void add_explain(CLI::App& app, int& exit_code);
// What a change would do.
void add_what_if(CLI::App& app, int& exit_code);
// Queues, who waits, nodes.
void add_top(CLI::App& app, int& exit_code);
// Makes traces of jobs, and looks at them.
void add_trace(CLI::App& app, int& exit_code);
// The scheduler of a live Kubernetes cluster.
void add_serve(CLI::App& app, int& exit_code);
// What runs in the pods that hold shared GPUs.
void add_reserve_gpu(CLI::App& app, int& exit_code);
// A live cluster's objects as one file.
void add_snapshot(CLI::App& app, int& exit_code);
// Also `muster --version`.
void add_version(CLI::App& app, int& exit_code);
// `muster help COMMAND`, for all the commands that `app` has when the command runs.
void add_help(CLI::App& app, int& exit_code);
// The script that teaches a shell to complete the commands that `app` has when the command runs.
void add_completion(CLI::App& app, int& exit_code);

}  // namespace muster::cli
