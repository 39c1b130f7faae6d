// A line on standard error that is rewritten as work goes on: on a terminal, and only where that takes long.
#pragma once

#include <chrono>

#include "cli/text.hpp"

namespace muster::cli {

class StatusLine {
 public:
  explicit StatusLine(bool is_wanted = true);
  // The line is gone when the work is done.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Whether anything would be shown.
  bool is_on() const { return is_on_; }
  // Whether it is time to show where the work stands: asks the clock.
  bool is_due() const { return is_on_ && Clock::now() >= next_; }
  void show(const Text& text);

 private:
  using Clock = std::chrono::steady_clock;

  const bool is_on_;  // standard error is a terminal
  Clock::time_point next_;
  bool has_written_ = false;
};

}  // namespace muster::cli
