// Log lines of the daemon: a message and fields, as text or JSON, on standard error.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "util/time.hpp"

namespace muster::serve {

enum class LogLevel { kError, kWarning, kInfo, kDebug };

class Log {
 public:
  using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;

  explicit Log(LogLevel most = LogLevel::kInfo, bool json = false) : most_(most), json_(json) {}

  void error(std::string_view message, Fields fields = {}) { write(LogLevel::kError, message, fields); }
  void warning(std::string_view message, Fields fields = {}) { write(LogLevel::kWarning, message, fields); }
  void info(std::string_view message, Fields fields = {}) { write(LogLevel::kInfo, message, fields); }
  void debug(std::string_view message, Fields fields = {}) { write(LogLevel::kDebug, message, fields); }
  // What would be said over and over is said once a minute, with how often it was held back.
  void repeated_warning(const std::string& message, Fields fields = {});

 private:
  struct Repeated {
    TimePoint said{};
    int held_back = 0;
  };
  void write(LogLevel level, std::string_view message, Fields fields);

  LogLevel most_;
  bool json_;
  std::unordered_map<std::string, Repeated> repeated_;
};

}  // namespace muster::serve
