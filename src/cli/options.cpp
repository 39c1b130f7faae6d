// Options that several commands have, and what they say of a value that does not fit.
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "util/time.hpp"

namespace muster::cli {

void add_output_option(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "How to print the result")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

CLI::Validator is_time() {
  return CLI::Validator(
      [](const std::string& text) {
        return parse_time(text) ? "" : fmt::format("\"{}\" is no time like 2025-06-01T12:00:00Z", text);
      },
      "");
}

CLI::Validator is_duration() {
  return CLI::Validator(
      [](const std::string& text) {
        return parse_duration(text) ? "" : fmt::format("\"{}\" is no duration like 30s or 1h30m", text);
      },
      "");
}

}  // namespace muster::cli
