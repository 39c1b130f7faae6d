// The clocks of the live part: a steady one to wait by, and the wall clock as the API writes it.
#pragma once

#include <chrono>
#include <string>

#include "util/time.hpp"

namespace muster::kube {

using Clock = std::chrono::steady_clock;

// In whole seconds: what the API server keeps.
inline TimePoint wall_clock() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}
inline std::string wall_clock_text() { return format_time(wall_clock()); }

}  // namespace muster::kube
