// Creates queues below one parent, with equal weight and no limit.
#include "trace/queues.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "trace/values.hpp"
#include "util/words.hpp"

namespace muster::trace {
namespace {

constexpr const char* kParent = "trace";
constexpr std::size_t kMostNamed = 5;

QueueObject queue_named(const std::string& name, double quota, TimePoint created) {
  const QueueAmounts amounts{.quota = quota, .limit = -1, .weight = 1};
  return {.meta = {.name = name, .uid = name, .created = created},
          .cpu = amounts,
          .memory = amounts,
          .gpu = amounts};
}

std::optional<std::int32_t> priority_number(const std::string& text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string note_of(const std::set<std::string>& names, const std::string& parent) {
  std::string some;
  std::size_t named = 0;
  for (const std::string& name : names) {
    if (++named > kMostNamed) break;
    some += (some.empty() ? "" : ", ") + shortened(name);
  }
  if (names.size() > kMostNamed) some += ", …";
  return fmt::format(
      "{} of the trace not defined in any file ({}); created below {} with equal weight and no limit",
      counted(names.size(), "queue"), some, parent);
}

}  // namespace

MadeQueues missing_queues(const Trace& trace, const std::function<bool(const std::string&)>& is_defined,
                          TimePoint created) {
  std::set<std::string> missing, used;
  for (const TraceJob& job : trace.jobs) used.insert(trace.texts[job.queue]);
  for (const std::string& name : used)
    if (!is_defined(name)) missing.insert(name);
  if (missing.empty()) return {};
  std::string parent = kParent;
  while (used.contains(parent) || is_defined(parent)) parent += "-queues";
  MadeQueues result{.queues = {queue_named(parent, -1, created)}, .note = note_of(missing, parent)};
  for (const std::string& name : missing) {
    result.queues.push_back(queue_named(name, 0, created));
    result.queues.back().parent_name = parent;
  }
  return result;
}

std::vector<PriorityClassObject> numbered_priorities(const Trace& trace) {
  std::set<std::int32_t> numbers;
  for (const TraceJob& job : trace.jobs)
    if (const auto number = priority_number(trace.texts[job.priority])) numbers.insert(*number);
  std::vector<PriorityClassObject> classes;
  for (const std::int32_t number : numbers) {
    const std::string name = priority_class_of(std::to_string(number));
    classes.push_back({.meta = {.name = name, .uid = name}, .value = number});
  }
  return classes;
}

std::string priority_class_of(const std::string& priority) {
  const auto number = priority_number(priority);
  return number ? fmt::format("trace-priority-{}", *number) : priority;
}

}  // namespace muster::trace
