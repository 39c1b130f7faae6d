// A line on standard error that is rewritten as reading goes on.
#include "cli/input/progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/report/paint.hpp"
#include "cli/report/table.hpp"

namespace muster::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience(1000), kPause(200);
constexpr std::uint64_t kObjectsBetweenLooks = 256;  // at the clock
constexpr const char* kClearLine = "\r\x1b[K";

double megabytes_of(const std::string& file) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : static_cast<double>(size) / 1e6;
}

}  // namespace

Progress::Progress() : is_shown_(is_terminal(stderr)), next_(begin_ + kPatience) {}

Progress::~Progress() {
  if (has_written_) fmt::print(stderr, kClearLine);
}

void Progress::file_begins(const std::string& file) {
  if (!is_shown_) return;
  file_ = file;
  megabytes_ = megabytes_of(file);
  show();
}

void Progress::object_read() {
  if (++objects_ % kObjectsBetweenLooks == 0 && is_shown_) show();
}

void Progress::show() {
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kPause;
  has_written_ = true;
  fmt::print(stderr, "{}reading {} ({:.0f} MB), {} objects", kClearLine, file_, megabytes_,
             grouped(objects_));
  std::fflush(stderr);
}

}  // namespace muster::cli
