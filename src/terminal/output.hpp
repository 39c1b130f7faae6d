// Writes to standard output and standard error, and handles failures to write. Everything that muster prints
// goes through here, except the log of `muster serve`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "terminal/text.hpp"

namespace muster {

// Writes messages about the input to standard error, each line only once even if the input is read again.
class Notices {
 public:
  void say(const std::string& line);

 private:
  std::set<std::string> said_;
};

// Writes to standard output. After a failure, nothing more is written.
void write_out(const Text& text);
// Writes the text unchanged. For output that programs read: JSON, CSV, scripts.
void write_raw(std::string_view text);
// Writes indented JSON and a line break. Bytes that are not valid UTF-8 become U+FFFD.
void write_json(const nlohmann::ordered_json& value);
void write_json(const nlohmann::json& value);
bool has_output_failed();

// Writes to standard error.
void write_error(const Text& text);
// Writes a line to standard error: `write_message("error: {}", problem)`.
template <class... Values>
void write_message(fmt::format_string<Text::Shown<Values>...> format, const Values&... values) {
  write_error(format_text(format, values...) + "\n");
}

// After this call, a write to a closed pipe fails instead of ending the process, and a file that is truncated
// while it is read ends the process with a message.
void handle_broken_files();

// Flushes standard output. Returns `exit_code`, or prints a message and returns kExternalFailure if a write
// failed.
int finish_output(int exit_code);

}  // namespace muster
