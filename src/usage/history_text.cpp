// Writes a history as JSON text. Its length is bounded: six digits per number and 32 buckets per queue.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "usage/history.hpp"

namespace muster {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

json kept_amounts(const UsageAmounts& amounts) {
  json list = json::array();
  for (const double amount : amounts) list.push_back(six_digits(amount));
  return list;
}

// The last three numbers of the list.
std::optional<UsageAmounts> amounts_in(const json& list, std::size_t size) {
  if (!list.is_array() || list.size() != size) return {};
  UsageAmounts amounts{};
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const json& number = list[size - amounts.size() + i];
    if (!number.is_number()) return {};
    amounts[i] = number.get<double>();
    if (!std::isfinite(amounts[i]) || amounts[i] < 0) return {};
  }
  return amounts;
}

std::optional<TimePoint> time_in(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return {};
  return parse_time(object[key].get<std::string>());
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Error damaged(std::string_view what) {
  return Error{fmt::format("it is damaged ({}) and is ignored", what), {}};
}

}  // namespace

std::string UsageHistory::settings_text() const {
  const UsageSettings& s = settings_;
  const std::string half_life = "half life " + format_duration(s.half_life);
  switch (s.window_type) {
    case UsageWindow::kTumbling:
      return fmt::format("tumbling {} from {}, {}", format_duration(s.window_size),
                         format_time(*s.tumbling_start), half_life);
    case UsageWindow::kCron:
      return fmt::format("cron {}, {}", s.cron->text(), half_life);
    case UsageWindow::kSliding:
      break;
  }
  return fmt::format("sliding {}, {}", format_duration(s.window_size), half_life);
}

std::string UsageHistory::text() const {
  json buckets = json::array(), queues = json::object();
  for (const auto& [begin, bucket] : buckets_) {
    for (const auto& [queue, use] : bucket.use) {
      json entry = kept_amounts(use);
      entry.insert(entry.begin(), buckets.size());
      queues[queue].push_back(std::move(entry));
    }
    buckets.push_back({{"begin", format_time(begin)},
                       {"at", format_time(bucket.at)},
                       {"capacity", kept_amounts(bucket.capacity)}});
  }
  const json root = {{"version", kVersion},
                     {"settings", settings_text()},
                     {"buckets", std::move(buckets)},
                     {"queues", std::move(queues)}};
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Reads the recorded history part by part. Each function returns what is wrong with its part, or "".
struct UsageHistory::Kept {
  const UsageHistory& history;
  Buckets buckets = {};
  std::vector<Bucket*> by_index = {};

  std::string take_bucket(const json& kept) {
    const auto begin = time_in(kept, "begin"), at = time_in(kept, "at");
    if (!begin || !at || !kept.contains("capacity")) return "a bucket";
    const UsageSpan span = history.span_of_bucket(*begin);
    const auto capacity = amounts_in(kept["capacity"], 3);
    const bool is_in_place = span.begin == *begin && *at >= span.begin && *at <= span.end;
    if (!capacity || !is_in_place || buckets.contains(*begin)) return "a bucket";
    Bucket& bucket = buckets[*begin];
    bucket = {.end = span.end, .at = *at, .capacity = *capacity};
    by_index.push_back(&bucket);
    return "";
  }

  std::string take_queue(const std::string& queue, const json& entries) {
    for (const json& entry : entries) {
      const auto amounts = amounts_in(entry, 4);
      if (!amounts || !entry[0].is_number_unsigned() || entry[0] >= by_index.size()) return "queue " + queue;
      by_index[entry[0].get<std::size_t>()]->use[queue] = *amounts;
    }
    return "";
  }

  std::string take(const json& root) {
    if (!root.contains("buckets") || !root["buckets"].is_array()) return "no buckets";
    if (!root.contains("queues") || !root["queues"].is_object()) return "no queues";
    for (const json& kept : root["buckets"])
      if (std::string wrong = take_bucket(kept); !wrong.empty()) return wrong;
    for (const auto& [queue, entries] : root["queues"].items())
      if (std::string wrong = take_queue(queue, entries); !wrong.empty()) return wrong;
    return "";
  }
};

Result<bool> UsageHistory::restore(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object() || !root.contains("version")) return damaged("not written by muster");
  if (root["version"] != kVersion) return damaged("unknown version");
  if (const std::string kept = text_in(root, "settings"); kept != settings_text())
    return Error{fmt::format("it was recorded under other settings ({}; now {}) and is ignored", kept,
                             settings_text()),
                 {}};
  Kept kept{*this};
  if (const std::string wrong = kept.take(root); !wrong.empty()) return damaged(wrong);
  buckets_ = std::move(kept.buckets);
  return true;
}

}  // namespace muster
