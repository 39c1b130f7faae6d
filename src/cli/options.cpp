// Options that several commands have, and what they say of a value that does not fit.
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "util/suggest.hpp"
#include "util/time.hpp"

namespace muster::cli {

void add_output_option(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "How to print the result")
      ->check(is_one_of({"text", "json"}))
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

CLI::Validator is_interval() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const auto interval = parse_duration(text);
        if (!interval) return is_duration()(text);
        return *interval < Duration::zero() ? fmt::format("\"{}\" is negative; time only goes on", text) : "";
      },
      "");
}

CLI::Validator is_one_of(const std::vector<std::string_view>& words) {
  return CLI::Validator(
      [words](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return fmt::format("\"{}\" is none of {}{}", text, fmt::join(words, ", "), did_you_mean(text, words));
      },
      fmt::format("{{{}}}", fmt::join(words, ",")));
}

}  // namespace muster::cli
