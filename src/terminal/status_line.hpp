// A progress line on standard error. It appears only on a terminal, and only if the work takes long.
#pragma once

#include <chrono>

#include "terminal/text.hpp"

namespace muster {

class StatusLine {
 public:
  explicit StatusLine(bool is_wanted = true);
  // Clears the line.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Whether anything would be shown.
  bool is_on() const { return is_on_; }
  // Whether the line should be updated now. Reads the clock.
  bool is_due() const { return is_on_ && Clock::now() >= next_; }
  void show(const Text& text);

 private:
  using Clock = std::chrono::steady_clock;

  const bool is_on_;  // standard error is a terminal
  Clock::time_point next_;
  bool has_written_ = false;
};

}  // namespace muster
