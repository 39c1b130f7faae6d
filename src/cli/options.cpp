// Options shared by several commands, with validators that explain invalid values.
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "loader/inputs.hpp"
#include "report/selection.hpp"
#include "util/suggest.hpp"
#include "util/time.hpp"

namespace muster::cli {

void add_output_option(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "How to print the result")
      ->check(is_one_of({"text", "json"}))
      ->capture_default_str();
}

void add_input_options(CLI::App& command, loader::InputOptions& inputs, const InputOptionNames& names) {
  command.add_option("FILE", inputs.paths, kFilesHelp)->required(names.needs_files);
  inputs.config_flag = names.config;
  command.add_option(names.config, inputs.config, kConfigHelp)->type_name("FILE");
  command
      .add_option("--usage", inputs.usage,
                  "Past usage of queues as shares of the capacity: {team: {gpu: 0.4, cpu: 0.1, memory: 0.1}}")
      ->type_name("FILE");
  command.add_option("--now", inputs.now, "Time of the first cycle (default: the current time)")
      ->type_name("TIME")
      ->check(is_time());
  command.add_flag("--kai-exact", inputs.kai_exact,
                   "Make the same decisions as KAI-Scheduler, even where muster would differ");
  command.add_flag("--strict", inputs.strict, "Treat warnings about manifests as errors");
}

void add_filters(CLI::App& command, report::JobFilter& filter) {
  command.add_option("-n,--namespace", filter.ns, "Only jobs in this namespace")->type_name("NAMESPACE");
  command.add_option("--queue", filter.queue, "Only jobs in this queue and the queues below it")
      ->type_name("QUEUE");
  command.add_option("--user", filter.user, "Only jobs of this user (label user of the job or its pods)")
      ->type_name("USER");
  command.add_option("--job", filter.job, "Only this job, given as name or namespace/name")->type_name("JOB");
  command.add_option("--state", filter.state, "Only jobs in this state")
      ->check(is_one_of(report::known_states()));
  command
      .add_option("--sort", filter.sort,
                  "Sort jobs: oldest, highest priority or most GPUs first, or by name or queue")
      ->check(is_one_of(report::known_orders()));
}

CLI::Validator is_time() {
  return CLI::Validator(
      [](const std::string& text) {
        return parse_time(text)
                   ? ""
                   : fmt::format("\"{}\" is not an RFC 3339 timestamp (e.g. 2025-06-01T12:00:00Z)", text);
      },
      "");
}

CLI::Validator is_duration() {
  return CLI::Validator(
      [](const std::string& text) {
        return parse_duration(text) ? "" : fmt::format("\"{}\" is not a duration (e.g. 30s, 1h30m)", text);
      },
      "");
}

CLI::Validator is_nonnegative_duration() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const auto interval = parse_duration(text);
        if (!interval) return is_duration()(text);
        return *interval < Duration::zero() ? fmt::format("\"{}\" is negative; expected zero or more", text)
                                            : "";
      },
      "");
}

CLI::Validator is_one_of(const std::vector<std::string_view>& words) {
  return CLI::Validator(
      [words](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return fmt::format("\"{}\" is invalid; expected one of {}{}", text, fmt::join(words, ", "),
                           did_you_mean(text, words));
      },
      fmt::format("{{{}}}", fmt::join(words, ",")));
}

}  // namespace muster::cli
