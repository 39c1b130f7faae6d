// Log lines of the daemon: a message and fields, as text or JSON, on standard error.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "util/time.hpp"

namespace muster::serve {

enum class LogLevel { kError, kWarning, kInfo, kDebug, kTrace };

// Lines of a level are said from this verbosity (--v) on, unless they say otherwise themselves.
constexpr int verbosity_of(LogLevel level) {
  constexpr int kFirst[] = {0, 1, 2, 5, 6};
  return kFirst[static_cast<int>(level)];
}
// What a line is that is said from this verbosity on.
constexpr LogLevel level_of(int verbosity) {
  auto level = LogLevel::kTrace;
  while (level != LogLevel::kError && verbosity < verbosity_of(level))
    level = static_cast<LogLevel>(static_cast<int>(level) - 1);
  return level;
}

class Log {
 public:
  using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;

  explicit Log(int verbosity = 3, bool json = false) : verbosity_(verbosity), json_(json) {}

  int verbosity() const { return verbosity_; }
  void error(std::string_view message, Fields fields = {}) { say(LogLevel::kError, message, fields); }
  void warning(std::string_view message, Fields fields = {}) { say(LogLevel::kWarning, message, fields); }
  void info(std::string_view message, Fields fields = {}) { say(LogLevel::kInfo, message, fields); }
  void debug(std::string_view message, Fields fields = {}) { say(LogLevel::kDebug, message, fields); }
  // Said from this verbosity on, whatever its level.
  void at(int verbosity, LogLevel level, std::string_view message, Fields fields = {}) {
    if (verbosity <= verbosity_) write(level, message, fields);
  }
  // What would be said over and over is said once a minute, with how often it was held back.
  void repeated_warning(const std::string& message, Fields fields = {});

 private:
  struct Repeated {
    TimePoint said{};
    int held_back = 0;
  };
  void say(LogLevel level, std::string_view message, Fields fields) {
    at(verbosity_of(level), level, message, fields);
  }
  void write(LogLevel level, std::string_view message, Fields fields);

  int verbosity_;
  bool json_;
  std::unordered_map<std::string, Repeated> repeated_;
};

}  // namespace muster::serve
