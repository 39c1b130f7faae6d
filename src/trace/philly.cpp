// The attempts of a job in Microsoft's list: their start and end, and the GPUs and machines they used.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "document/json.hpp"
#include "trace/formats.hpp"
#include "trace/values.hpp"

namespace muster::trace {
namespace {

constexpr std::size_t kGpusOfAMachine = 8;  // the larger machines

std::optional<TimePoint> instant_in(Json attempt, std::string_view key) {
  std::string_view text;
  if (attempt[key].get(text) != simdjson::SUCCESS) return std::nullopt;
  return instant_of(text);
}

std::size_t gpus_of(Json attempt) {
  std::size_t gpus = 0;
  simdjson::dom::array machines, devices;
  if (attempt["detail"].get(machines) != simdjson::SUCCESS) return 0;
  for (const Json machine : machines)
    if (machine["gpus"].get(devices) == simdjson::SUCCESS) gpus += devices.size();
  return gpus;
}

struct Attempts {
  std::size_t gpus = 0;  // the most of any attempt
  std::optional<Duration> ran;
};

Attempts attempts_of(Json row) {
  Attempts result;
  simdjson::dom::array attempts;
  if (row["attempts"].get(attempts) != simdjson::SUCCESS) return result;
  for (const Json attempt : attempts) {
    result.gpus = std::max(result.gpus, gpus_of(attempt));
    const auto begin = instant_in(attempt, "start_time"), end = instant_in(attempt, "end_time");
    if (begin && end && *end >= *begin) result.ran = result.ran.value_or(Duration{}) + (*end - *begin);
  }
  return result;
}

}  // namespace

// The machines of an attempt show what the scheduler at that time found, not what the job requested. Here, a
// job gets one pod per machine if its GPUs fill whole machines, a single pod if it had fewer GPUs than a
// machine, and otherwise one pod per GPU.
std::string philly_column(Json row, std::string_view column) {
  if (!column.starts_with("attempts.")) return "";
  const Attempts attempts = attempts_of(row);
  if (column == "attempts.seconds") return attempts.ran ? fmt::format("{}", seconds(*attempts.ran)) : "";
  if (attempts.gpus == 0) return "";
  const bool is_whole = attempts.gpus % kGpusOfAMachine == 0;
  const std::size_t pods = is_whole                          ? attempts.gpus / kGpusOfAMachine
                           : attempts.gpus < kGpusOfAMachine ? 1
                                                             : attempts.gpus;
  if (column == "attempts.pods") return std::to_string(pods);
  if (column == "attempts.gpus") return std::to_string(attempts.gpus / pods);
  return "";
}

}  // namespace muster::trace
