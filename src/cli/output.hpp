// Standard output and standard error, and what becomes of a program that can not write to them. Nothing else
// in muster prints, but the log of `muster serve`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "cli/text.hpp"

namespace muster::cli {

// What standard error is told about the input, each line once, however often the input is read.
class Notices {
 public:
  void say(const std::string& line);

 private:
  std::set<std::string> said_;
};

// Write to standard output. Once that has failed, nothing more is written.
void write_out(const Text& text);
// For programs, not for terminals: JSON, CSV, scripts. The text stays as it is.
void write_exact(std::string_view text);
// Indented, with a line break behind it. Bytes that are no UTF-8 become U+FFFD.
void write_json(const nlohmann::ordered_json& value);
void write_json(const nlohmann::json& value);
bool has_output_failed();

// Write to standard error.
void write_error(const Text& text);
// A line: `write_message("error: {}", problem)`.
template <class... Values>
void write_message(fmt::format_string<Text::Shown<Values>...> format, const Values&... values) {
  write_error(format_text(format, values...) + "\n");
}

// From now on writing to a pipe that nobody reads fails rather than ending the process, and a file that
// shrinks while it is read ends it with a message.
void handle_broken_files();

// Has all that was written arrive. `exit_code`, or kOutside with a message where not all of it did.
int finish_output(int exit_code);

}  // namespace muster::cli
