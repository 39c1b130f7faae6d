// Writes queries as text and reads answers as JSON.
#include "usage/prometheus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "usage/window.hpp"

namespace muster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kLabel = "queue_name";
constexpr std::array kAllocated = {"cpu_cores", "memory_bytes", "gpus"};
constexpr std::array kOfNodes = {"cpu", "memory", "nvidia_com_gpu"};

double unix_seconds(TimePoint t) { return std::chrono::duration<double>(t.time_since_epoch()).count(); }

std::string allocation_of(const UsageSettings& s, const OwnMetrics& own, std::size_t resource) {
  if (!s.allocation_metrics[resource].empty()) return s.allocation_metrics[resource];
  return fmt::format("{}_queue_allocated_{}", own.prefix, kAllocated[resource]);
}

// The capacity from kube-state-metrics, like KAI-Scheduler, or from muster's own metric if it is not
// installed.
std::string capacity_of(const UsageSettings& s, const OwnMetrics& own, std::size_t resource) {
  if (!s.capacity_metrics[resource].empty()) return s.capacity_metrics[resource];
  return fmt::format(
      "sum(kube_node_status_capacity{{resource=\"{}\"}}) or max({}_muster_capacity_{}{{nodepool={}}})",
      kOfNodes[resource], own.prefix, kAllocated[resource], json(own.node_pool).dump());
}

// Steps are never longer than the window, so that a window that has just begun contains a sample.
std::string summed(const UsageSettings& s, const std::string& values, TimePoint now) {
  const UsageSpan window = window_at(s, now);
  const auto range = std::max(std::chrono::floor<milliseconds>(window.end - window.begin), milliseconds(1));
  const auto step = std::clamp(std::chrono::floor<milliseconds>(s.query_resolution), milliseconds(1), range);
  std::string weighted = values;
  if (s.half_life > Duration::zero())
    weighted = fmt::format("{} * 0.5 ^ (({:.3f} - time()) / {:.3f})", values, unix_seconds(now),
                           std::chrono::duration<double>(s.half_life).count());
  return fmt::format("sum_over_time(({})[{}ms:{}ms])", weighted, range.count(), step.count());
}

Error not_understood() { return Error{"the answer is not a Prometheus query result", {}}; }

// Prometheus writes numbers as text, including NaN and +Inf.
Result<double> number_of(const json& sample) {
  if (!sample.is_array() || sample.size() != 2 || !sample[1].is_string()) return not_understood();
  const auto& text = sample[1].get_ref<const std::string&>();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value >= 0)
    return value;
  return Error{fmt::format("\"{}\" is not an amount", text), {}};
}

std::string queue_of(const json& series) {
  const auto labels = series.find("metric");
  if (labels == series.end() || !labels->is_object()) return "";
  const auto queue = labels->find(kLabel);
  return queue != labels->end() && queue->is_string() ? queue->get<std::string>() : "";
}

Result<std::map<std::string, double>> values_of(const json& list) {
  std::map<std::string, double> values;
  for (const json& series : list) {
    if (!series.is_object() || !series.contains("value")) return not_understood();
    const auto number = number_of(series["value"]);
    if (!number) return number.error();
    values[queue_of(series)] = *number;
  }
  return values;
}

const json* member_of(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

UsageQueries usage_queries(const UsageSettings& s, const OwnMetrics& own, TimePoint now) {
  UsageQueries queries;
  for (std::size_t r = 0; r < queries.capacity.size(); ++r) {
    // The maximum counts a queue once, even if two replicas or a restarted one were scraped.
    const std::string of_queues = fmt::format("max by ({}) ({})", kLabel, allocation_of(s, own, r));
    queries.allocation[r] = summed(s, of_queues, now);
    queries.capacity[r] = summed(s, fmt::format("sum({})", capacity_of(s, own, r)), now);
  }
  return queries;
}

Result<std::map<std::string, double>> values_in(std::string_view answer) {
  const json root = json::parse(answer, nullptr, false);
  if (const json* error = member_of(root, "error"); error != nullptr && error->is_string())
    return Error{error->get<std::string>(), {}};
  const json* data = member_of(root, "data");
  const json* type = data != nullptr ? member_of(*data, "resultType") : nullptr;
  const json* result = data != nullptr ? member_of(*data, "result") : nullptr;
  if (type == nullptr || *type != "vector" || result == nullptr || !result->is_array())
    return not_understood();
  return values_of(*result);
}

QueueUsage shares_of(const UsageSums& sums) {
  QueueUsage shares;
  for (std::size_t r = 0; r < sums.capacity.size(); ++r)
    for (const auto& [queue, used] : sums.allocation[r])
      shares[queue][r] = sums.capacity[r] > 0 ? used / sums.capacity[r] : 0;
  return shares;
}

}  // namespace muster
