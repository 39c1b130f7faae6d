// Decodes queues: their parents, amounts and minimum runtimes.
#include <algorithm>

#include "manifest/decoders.hpp"
#include "manifest/known_keys.hpp"
#include "manifest/meta.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

constexpr double kUnlimited = -1;
constexpr double kMemoryUnit = 1e6;  // bytes per unit of memory quota and limit

QueueAmounts amounts_of(const Field& resource) {
  QueueAmounts amounts{.limit_missing = true};
  check_members(resource, {"quota", "limit", "overQuotaWeight"});
  resource.each_member([&](const Field& member) {
    if (member.key() == "quota")
      amounts.quota = member.number().value_or(0);
    else if (member.key() == "limit")
      amounts.limit = member.number().value_or(0), amounts.limit_missing = false;
    else if (member.key() == "overQuotaWeight")
      amounts.weight = member.number().value_or(0);
  });
  return amounts;
}

QueueAmounts memory_of(const Field& resource) {
  QueueAmounts amounts = amounts_of(resource);
  amounts.quota = std::max(kUnlimited, amounts.quota * kMemoryUnit);
  amounts.limit = std::max(kUnlimited, amounts.limit * kMemoryUnit);
  return amounts;
}

void read_resources(const Field& resources, QueueObject& queue) {
  check_members(resources, {"cpu", "memory", "gpu"});
  resources.each_member([&](const Field& resource) {
    if (resource.key() == "cpu")
      queue.cpu = amounts_of(resource);
    else if (resource.key() == "memory")
      queue.memory = memory_of(resource);
    else if (resource.key() == "gpu")
      queue.gpu = amounts_of(resource);
  });
}

// Passes on a negative one, with a warning: KAI uses it (negativeMinimumIsUnset).
std::optional<Duration> minimum_runtime_of(const Field& member) {
  if (const auto minimum = member.duration()) return minimum;
  std::string_view text;
  if (!member.is_present() || member.json().get(text) != simdjson::SUCCESS) return std::nullopt;
  return parse_duration(text);
}

void read_spec(const Field& spec, QueueObject& queue) {
  check_members(spec, {"displayName", "parentQueue", "priority", "resources", "preemptMinRuntime",
                       "reclaimMinRuntime"});
  spec.each_member([&](const Field& member) {
    const std::string_view key = member.key();
    if (key == "displayName")
      queue.display_name = member.text();
    else if (key == "parentQueue")
      queue.parent_name = member.text();
    else if (key == "priority")
      queue.priority = member.int32().value_or(queue.priority);
    else if (key == "resources")
      read_resources(member, queue);
    else if (key == "preemptMinRuntime")
      queue.preempt_min_runtime = minimum_runtime_of(member);
    else if (key == "reclaimMinRuntime")
      queue.reclaim_min_runtime = minimum_runtime_of(member);
  });
}

// Splits a list such as "team-a, team-b-*". An empty list, or one of commas only, admits no namespace.
std::vector<std::string> patterns_in(std::string_view text) {
  std::vector<std::string> patterns;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view pattern = text.substr(0, comma);
    const std::size_t begin = pattern.find_first_not_of(" \t\n");
    pattern =
        begin == pattern.npos ? "" : pattern.substr(begin, pattern.find_last_not_of(" \t\n") + 1 - begin);
    patterns.emplace_back(pattern);
    if (comma == text.npos) return patterns;
    text.remove_prefix(comma + 1);
  }
}

void read_annotation(const Field& annotation, QueueObject& queue) {
  check_runtime_annotation(annotation);
  if (annotation.key() == keys::kExpectedRuntime)
    queue.expected_runtime = annotation.text();
  else if (annotation.key() == keys::kRequeueDelay)
    queue.requeue_delay = annotation.text();
  else if (annotation.key() == keys::kNamespaces)
    queue.namespaces = patterns_in(annotation.text());
}

}  // namespace

void decode(const Field& root, QueueObject& queue) {
  read_meta(root, queue.meta, [&](const Field& other) {
    if (other.key() == "annotations")
      other.each_member([&](const Field& annotation) { read_annotation(annotation, queue); });
  });
  check_object(root);
  for (QueueAmounts* amounts : {&queue.cpu, &queue.memory, &queue.gpu}) amounts->limit_missing = true;
  const Field spec = root.object("spec");
  read_spec(spec, queue);
}

}  // namespace muster
