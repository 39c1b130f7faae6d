// How a line looks, and which ones are held back.
#include "serve/health/log.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace muster::serve {
namespace {

constexpr auto kQuiet = std::chrono::minutes(1);
constexpr std::size_t kMostRemembered = 10'000;

constexpr const char* kNames[] = {"error", "warning", "info", "debug", "trace"};

TimePoint now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

// Quoted where it has to be.
std::string value_text(const std::string& value) {
  const bool is_plain = !value.empty() && value.find_first_of(" \"=\n\t") == std::string::npos;
  return is_plain ? value
                  : nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Log::write(LogLevel level, std::string_view message, Fields fields) {
  const char* const name = kNames[static_cast<int>(level)];
  std::string line;
  if (json_) {
    nlohmann::ordered_json object = {{"time", format_time(now())}, {"level", name}, {"message", message}};
    for (const auto& [key, value] : fields) object[std::string(key)] = value;
    line = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } else {
    line = fmt::format("{} {:<7} {}", format_time(now()), name, message);
    for (const auto& [key, value] : fields) line += fmt::format(" {}={}", key, value_text(value));
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Log::repeated_warning(const std::string& message, Fields fields) {
  if (repeated_.size() > kMostRemembered) repeated_.clear();
  std::string key = message;
  for (const auto& [name, value] : fields) key += '\0' + value;
  Repeated& repeated = repeated_[key];
  if (now() - repeated.said < kQuiet) {
    ++repeated.held_back;
    return;
  }
  const int held_back = std::exchange(repeated.held_back, 0);
  repeated.said = now();
  const std::string suffix = held_back == 0 ? "" : fmt::format(" ({} more like this before)", held_back);
  warning(message + suffix, fields);
}

}  // namespace muster::serve
