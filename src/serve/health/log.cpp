// Formats log lines and suppresses repeated ones.
#include "serve/health/log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "kube/json_text.hpp"
#include "util/printable.hpp"

namespace muster::serve {
namespace {

constexpr auto kRepeatInterval = std::chrono::minutes(1);
constexpr std::size_t kMostRemembered = 10'000;

constexpr const char* kNames[] = {"error", "warning", "info", "debug", "trace"};

TimePoint now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

// Quotes the value if necessary.
std::string value_text(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \"=\n\t") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// Always a single line, whatever the message and the values contain.
std::string text_line(const char* level, std::string_view message, Log::Fields fields) {
  std::string line = fmt::format("{} {:<7} {}", format_time(now()), level, message);
  for (const auto& [key, value] : fields) line += fmt::format(" {}={}", key, value_text(value));
  return printable(line);
}

std::string json_line(const char* level, std::string_view message, Log::Fields fields) {
  nlohmann::ordered_json object = {{"time", format_time(now())}, {"level", level}, {"message", message}};
  for (const auto& [key, value] : fields) object[std::string(key)] = value;
  return kube::json_text(object);
}

}  // namespace

void Log::write(LogLevel level, std::string_view message, Fields fields) const {
  const char* const name = kNames[static_cast<int>(level)];
  const std::string line =
      (json_ ? json_line(name, message, fields) : text_line(name, message, fields)) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Log::repeated_warning(const std::string& message, Fields fields) {
  if (repeated_.size() > kMostRemembered) repeated_.clear();
  std::string key = message;
  for (const auto& [name, value] : fields) key += '\0' + value;
  Repeated& repeated = repeated_[key];
  if (now() - repeated.logged_at < kRepeatInterval) {
    ++repeated.suppressed;
    return;
  }
  const int suppressed = std::exchange(repeated.suppressed, 0);
  repeated.logged_at = now();
  const std::string suffix =
      suppressed == 0 ? "" : fmt::format(" ({} similar messages suppressed)", suppressed);
  warning(message + suffix, fields);
}

}  // namespace muster::serve
