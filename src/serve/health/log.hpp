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

// Lines of a level are logged from this verbosity (--v) on, unless they set their own.
constexpr int verbosity_of(LogLevel level) {
  constexpr int kFirst[] = {0, 1, 2, 5, 6};
  return kFirst[static_cast<int>(level)];
}
// The level of a line that is logged from this verbosity on.
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
  void error(std::string_view message, Fields fields = {}) { emit(LogLevel::kError, message, fields); }
  void warning(std::string_view message, Fields fields = {}) { emit(LogLevel::kWarning, message, fields); }
  void info(std::string_view message, Fields fields = {}) { emit(LogLevel::kInfo, message, fields); }
  void debug(std::string_view message, Fields fields = {}) { emit(LogLevel::kDebug, message, fields); }
  // Logs from this verbosity on, whatever the level.
  void at(int verbosity, LogLevel level, std::string_view message, Fields fields = {}) {
    if (verbosity <= verbosity_) write(level, message, fields);
  }
  // Logs the same warning at most once a minute, with the number of times it was suppressed.
  void repeated_warning(const std::string& message, Fields fields = {});

 private:
  struct Repeated {
    TimePoint logged_at{};
    int suppressed = 0;
  };
  void emit(LogLevel level, std::string_view message, Fields fields) {
    at(verbosity_of(level), level, message, fields);
  }
  void write(LogLevel level, std::string_view message, Fields fields) const;

  int verbosity_;
  bool json_;
  std::unordered_map<std::string, Repeated> repeated_;
};

}  // namespace muster::serve
