// Options shared by several commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace muster::loader {
struct InputOptions;
}
namespace muster::report {
struct JobFilter;
}

namespace muster::cli {

inline constexpr const char* kFilesHelp =
    "Manifests: YAML or JSON, also .gz, .zst or .zip; directories, KAI snapshots, or - for standard input";
inline constexpr const char* kConfigHelp =
    "Configuration: KAI's scheduler file, a SchedulingShard, a KAI Config, a ConfigMap or a snapshot "
    "(default: the configuration in a snapshot among the files)";

struct InputOptionNames {
  const char* config = "--config";
  bool needs_files = true;
};
// Adds FILE, the configuration, --usage, --now, --kai-exact and --strict.
void add_input_options(CLI::App& command, loader::InputOptions& inputs, const InputOptionNames& names = {});
// Adds -n, --queue, --user, --job, --state and --sort.
void add_filters(CLI::App& command, report::JobFilter& filter);
// Adds -o text|json.
void add_output_option(CLI::App& command, std::string& output);

// Reject text that does not parse, with an example of valid text.
CLI::Validator is_time();
CLI::Validator is_duration();
// Also rejects negative durations.
CLI::Validator is_nonnegative_duration();
// Rejects other words and suggests the nearest valid one.
CLI::Validator is_one_of(const std::vector<std::string_view>& words);

}  // namespace muster::cli
