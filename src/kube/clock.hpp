// The clocks of the live scheduler: a steady one for waiting, and the wall clock in the format of the API.
#pragma once

#include <chrono>
#include <string>

#include "util/time.hpp"

namespace muster::kube {

using Clock = std::chrono::steady_clock;

// The current time in whole seconds, the precision that the API server keeps.
inline TimePoint wall_clock() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}
inline std::string wall_clock_text() { return format_time(wall_clock()); }

}  // namespace muster::kube
