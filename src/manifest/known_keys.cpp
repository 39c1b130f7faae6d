// The names that muster reads, and suggestions for names that it does not read.
#include "manifest/known_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/job.hpp"
#include "util/keys.hpp"
#include "util/printable.hpp"
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
    keys::kEvictionReceipt,
    keys::kStale,
    keys::kQueue,
    keys::kNamespaces,
    "muster.dev/preemptibility",
    "muster.dev/stays-terminating",
    "muster.dev/gpu-devices",
    "muster.dev/gpu-portion",
    keys::kDuration,
    keys::kWork,
    keys::kCheckpointEvery,
    keys::kRestartCost,
    keys::kFailsAfter,
});

// The text of the field, or nullopt if the field is not a string.
std::optional<std::string_view> text_in(const Field& field) {
  std::string_view text;
  if (!field.is_present() || field.json().get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::string shortened(std::string_view text) { return beginning_of(text, 80); }

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
  if (is_ours(key) || !near.empty()) entry.warn(fmt::format("unknown {}, ignored{}", keys.noun, near));
}

// Workloads and pods pass these annotations on to their PodGroup.
void check_delay(const Field& annotation, bool may_be_negative) {
  const auto value = text_in(annotation);
  const auto duration = value ? parse_duration(*value) : std::nullopt;
  if (value && (!duration || (!may_be_negative && *duration < Duration::zero())))
    annotation.warn(fmt::format("\"{}\" is not a duration such as 10m; ignored", shortened(*value)));
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
  check_delay(annotations["kai.scheduler/preemption-delay"], false);
  check_delay(annotations["kai.scheduler/staleness-grace-period"], true);
}

void check_preemptibility(const Field& field) {
  const auto value = text_in(field);
  if (value && !value->empty() && !parse_preemptibility(*value))
    field.warn(fmt::format("\"{}\" is not one of preemptible, non-preemptible, semi-preemptible; ignored",
                           shortened(*value)));
}

void check_runtime_annotation(const Field& annotation) {
  const std::string_view key = annotation.key();
  const auto value = text_in(annotation);
  if (!value) return;
  const auto duration = parse_duration(*value);
  const bool is_duration = duration && *duration >= Duration::zero();
  if (key == keys::kExpectedRuntime && !is_duration)
    annotation.warn(fmt::format("\"{}\" is not a duration such as 2h or 1d; no job is requeued because of it",
                                shortened(*value)));
  else if (key == keys::kRequeueDelay && !is_duration)
    annotation.warn(
        fmt::format("\"{}\" is not a duration such as 5m; the default applies", shortened(*value)));
  else if (key == keys::kRequeueNotBefore && !parse_time(*value))
    annotation.warn(
        fmt::format("\"{}\" is not an RFC 3339 timestamp; the job is not requeued", shortened(*value)));
}

}  // namespace muster
