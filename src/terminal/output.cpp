// Writes output, and reports a full disk, a closed pipe, and a file that is truncated while it is read.
#include "terminal/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "terminal/exit_code.hpp"

namespace muster {
namespace {

int failure = 0;  // the first error number of standard output

void note_failure(bool has_failed) {
  if (has_failed && failure == 0) failure = errno == 0 ? EIO : errno;
}

// Files are memory-mapped, so a failing read arrives as SIGBUS.
void end_unreadable(int) {
  constexpr std::string_view text =
      "error: a file could not be read to the end: it was truncated, or its disk failed\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(kExternalFailure);
}

template <class Json>
std::string json_text(const Json& value) {
  return value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void Notices::say(const std::string& line) {
  if (said_.insert(line).second) write_message("{}", line);
}

void write_out(const Text& text) { write_raw(text.str()); }

void write_raw(std::string_view text) {
  if (failure != 0) return;
  errno = 0;
  note_failure(std::fwrite(text.data(), 1, text.size(), stdout) < text.size());
}

void write_json(const nlohmann::ordered_json& value) { write_raw(json_text(value)); }
void write_json(const nlohmann::json& value) { write_raw(json_text(value)); }

bool has_output_failed() { return failure != 0; }

void write_error(const Text& text) { std::fwrite(text.str().data(), 1, text.str().size(), stderr); }

void handle_broken_files() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGBUS, end_unreadable);
}

int finish_output(int exit_code) {
  if (std::ferror(stdout) == 0) errno = 0;  // otherwise errno still holds the cause of the failure
  note_failure(std::fflush(stdout) != 0 || std::ferror(stdout) != 0);
  if (failure == 0) return exit_code;
  write_message("error: standard output: {}", std::generic_category().message(failure));
  failure = 0;
  std::clearerr(stdout);
  return kExternalFailure;
}

}  // namespace muster
