// Overwrites the line a few times per second.
#include "terminal/status_line.hpp"

#include <cstdio>

#include "terminal/output.hpp"
#include "terminal/paint.hpp"

namespace muster {
namespace {

constexpr std::chrono::milliseconds kInitialDelay(1000), kPause(200);
constexpr char kClearLine[] = "\r\x1b[K";

}  // namespace

StatusLine::StatusLine(bool is_wanted)
    : is_on_(is_wanted && is_terminal(stderr)), next_(Clock::now() + kInitialDelay) {}

StatusLine::~StatusLine() {
  if (has_written_) write_error(kClearLine);
}

void StatusLine::show(const Text& text) {
  next_ = Clock::now() + kPause;
  has_written_ = true;
  write_error(kClearLine + text);
  std::fflush(stderr);
}

}  // namespace muster
