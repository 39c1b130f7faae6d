// Options that several commands have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace muster::cli {

struct InputOptions;
struct JobFilter;

inline constexpr const char* kFilesHelp =
    "Manifests: YAML or JSON, also .gz, .zst or .zip; directories, KAI snapshots, or - for standard input";
inline constexpr const char* kConfigHelp =
    "Configuration: KAI's scheduler file, a SchedulingShard, a KAI Config, a ConfigMap or a snapshot "
    "(default: "
    "that of a snapshot among the files)";

struct InputNames {
  const char* config = "--config";
  bool needs_files = true;
};
// FILE, --usage, --now, --kai-exact, --strict, and the configuration.
void add_input_options(CLI::App& command, InputOptions& inputs, const InputNames& names = {});
// -n, --queue, --job, --state, --sort
void add_filters(CLI::App& command, JobFilter& filter);
// -o text|json
void add_output_option(CLI::App& command, std::string& output);

// Refuse what does not parse, with an example of what does.
CLI::Validator is_time();
CLI::Validator is_duration();
// Refuses what goes back in time, too.
CLI::Validator is_interval();
// Refuses any other word, with the nearest that is one of them.
CLI::Validator is_one_of(const std::vector<std::string_view>& words);

}  // namespace muster::cli
