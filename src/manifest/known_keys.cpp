#include "manifest/known_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/job.hpp"
#include "util/keys.hpp"
#include "util/suggest.hpp"

namespace muster {
namespace {

constexpr std::string_view kPreemptibilityLabel = "kai.scheduler/preemptibility";

constexpr auto kLabels = std::to_array<std::string_view>({
    "kai.scheduler/queue",
    "kai.scheduler/node-pool",
    "kai.scheduler/subgroup-name",
    "kai.scheduler/task-priority",
    "kai.scheduler/accounting",
    kPreemptibilityLabel,
});

constexpr auto kAnnotations = std::to_array<std::string_view>({
    "pod-group-name",
    "gpu-fraction",
    "gpu-memory",
    "gpu-fraction-num-devices",
    "gpu-fraction-container-name",
    "kai.scheduler/batch-min-member",
    "kai.scheduler/topology",
    "kai.scheduler/topology-required-placement",
    "kai.scheduler/topology-preferred-placement",
    "kai.scheduler/segment-size",
    "kai.scheduler/segment-topology-required-placement",
    "kai.scheduler/segment-topology-preferred-placement",
    "kai.scheduler/preemption-delay",
    "kai.scheduler/staleness-grace-period",
    "kai.scheduler/skip-podgrouper",
    "kai.scheduler/top-owner-metadata",
    "kai.scheduler/numa-placement-predicted",
    "kai.scheduler/numa-placement-observed",
    keys::kExpectedRuntime,
    keys::kRequeueDelay,
    keys::kRequeueNotBefore,
    keys::kRequeuedAt,
    keys::kLastStart,
    keys::kLastEviction,
    keys::kStale,
    "muster.dev/preemptibility",
    "muster.dev/stays-terminating",
});

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_ours(std::string_view key) {
  return key.starts_with("kai.scheduler/") || key.starts_with("muster.dev/");
}

bool is_plain(std::string_view key) { return key.find('/') == std::string_view::npos; }

struct Keys {
  std::string_view noun, other_noun;
  std::span<const std::string_view> known, other;
};
constexpr Keys kOfLabels{"label", "an annotation", kLabels, kAnnotations};
constexpr Keys kOfAnnotations{"annotation", "a label", kAnnotations, kLabels};

void check_key(const Field& entry, const Keys& keys, PlainKeys plain) {
  const std::string_view key = entry.key();
  const bool may_be_meant = plain == PlainKeys::kChecked && is_plain(key);
  if ((!is_ours(key) && !may_be_meant) || contains(keys.known, key)) return;
  if (contains(keys.other, key) && is_ours(key))
    return entry.warn(fmt::format("is {}, not {} {}; ignored", keys.other_noun,
                                  keys.noun == "label" ? "a" : "an", keys.noun));
  const std::string near = did_you_mean(key, keys.known);
  if (is_ours(key) || !near.empty()) entry.warn(fmt::format("nobody reads this {}{}", keys.noun, near));
}

}  // namespace

void check_members(const Field& object, std::initializer_list<std::string_view> known) {
  if (!object.is_present() || !object.json().is_object()) return;
  object.each_member([&](const Field& member) {
    if (!contains(known, member.key()))
      member.warn("unknown field, ignored" + did_you_mean(member.key(), std::span(known)));
  });
}

void check_object(const Field& root) {
  check_members(root, {"apiVersion", "kind", "metadata", "spec", "status"});
  const Field metadata = root["metadata"];
  check_keys(metadata, PlainKeys::kIgnored);
}

void check_keys(const Field& metadata, PlainKeys plain) {
  const Field labels = metadata["labels"], annotations = metadata["annotations"];
  if (labels.is_present() && labels.json().is_object())
    labels.each_member([](const Field& label) { check_key(label, kOfLabels, PlainKeys::kIgnored); });
  if (annotations.is_present() && annotations.json().is_object())
    annotations.each_member([&](const Field& annotation) { check_key(annotation, kOfAnnotations, plain); });
  check_preemptibility(labels[kPreemptibilityLabel]);
}

void check_preemptibility(const Field& text) {
  std::string_view value;
  if (!text.is_present() || text.json().get(value) != simdjson::SUCCESS || value.empty()) return;
  if (!parse_preemptibility(value))
    text.warn(fmt::format("\"{}\" is none of preemptible, non-preemptible, semi-preemptible; ignored",
                          value.substr(0, 80)));
}

}  // namespace muster
