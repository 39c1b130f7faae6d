// Decodes PodGroups of any of their API groups.
#include <charconv>
#include <optional>

#include "manifest/decoders.hpp"
#include "manifest/known_keys.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"
#include "util/keys.hpp"

namespace muster {
namespace {

// Reads a minimum. Returns nullopt, with a warning, if it is negative.
std::optional<std::int32_t> count_of(const Field& field) {
  const auto count = field.int32();
  if (!count || *count >= 0) return count;
  field.warn("is negative; ignored");
  return std::nullopt;
}

TopologyConstraint topology_of(const Field& constraint) {
  TopologyConstraint result;
  check_members(constraint, {"topology", "requiredTopologyLevel", "preferredTopologyLevel"});
  constraint.each_member([&](const Field& member) {
    if (member.key() == "topology")
      result.topology = member.text();
    else if (member.key() == "requiredTopologyLevel")
      result.required = member.text();
    else if (member.key() == "preferredTopologyLevel")
      result.preferred = member.text();
  });
  return result;
}

SubGroupObject sub_group_of(const Field& field) {
  SubGroupObject group;
  check_members(field, {"name", "parent", "minMember", "minSubGroup", "topologyConstraint"});
  field.each_member([&](const Field& member) {
    const std::string_view key = member.key();
    if (key == "name")
      group.name = member.text();
    else if (key == "parent")
      group.parent = member.text();
    else if (key == "minMember")
      group.min_member = count_of(member);
    else if (key == "minSubGroup")
      group.min_sub_group = count_of(member);
    else if (key == "topologyConstraint")
      group.topology = topology_of(member);
  });
  return group;
}

// Reads the minimums, the subgroups and their topology constraints. Returns false if the member has another
// purpose.
bool read_shape(const Field& member, PodGroupObject& group) {
  const std::string_view key = member.key();
  if (key == "minMember")
    group.min_member = count_of(member);
  else if (key == "minSubGroup")
    group.min_sub_group = count_of(member);
  else if (key == "subGroups")
    member.each_object([&](const Field& item) { group.sub_groups.push_back(sub_group_of(item)); });
  else if (key == "topologyConstraint")
    group.topology = topology_of(member);
  else
    return false;
  return true;
}

void read_policy(const Field& member, PodGroupObject& group) {
  const std::string_view key = member.key();
  if (key == "queue")
    group.queue = member.text();
  else if (key == "priorityClassName")
    group.priority_class = member.text();
  else if (key == "preemptibility")
    group.preemptibility = member.text();
  else if (key == "preemptionDelay")
    group.preemption_delay = member.duration();
  else if (key == "stalenessGracePeriod")
    group.staleness_grace = member.duration(true);
  else if (key == "markUnschedulable")
    group.mark_unschedulable = member.boolean().value_or(true);
  else if (key == "schedulingBackoff")
    group.scheduling_backoff = member.int32().value_or(-1);
}

// Go's zero time is how a Go program writes that there is no time.
std::optional<TimePoint> time_unless_zero(const Field& annotation) {
  static const TimePoint kGoZero = *parse_time("0001-01-01T00:00:00Z");
  const auto time = annotation.time();
  return time == kGoZero ? std::nullopt : time;
}

void read_annotation(const Field& annotation, PodGroupObject& group) {
  const std::string_view key = annotation.key();
  check_runtime_annotation(annotation);
  if (read_work_annotation(annotation, group.work)) return;
  if (key == keys::kLastStart)
    group.last_start = time_unless_zero(annotation);
  else if (key == keys::kLastEviction)
    group.last_eviction = time_unless_zero(annotation);
  else if (key == keys::kStale)
    group.stale_since = annotation.time();
  else if (key == keys::kExpectedRuntime)
    group.expected_runtime = annotation.text();
  else if (key == keys::kRequeueDelay)
    group.requeue_delay = annotation.text();
  else if (key == keys::kRequeueNotBefore)
    group.requeue_not_before = annotation.text();
  else if (key == keys::kRequeuedAt)
    group.requeued_at = annotation.text();
  else if (key == keys::kQueue)
    group.last_queue = annotation.text();
  else if (key == keys::kEvictionReceipt)
    group.eviction_receipt = annotation.text();
  else if (key == "muster.dev/stays-terminating")
    group.stays_terminating = annotation.text() == "true";
}

std::int64_t transition_of(const Field& condition) {
  const std::string_view text = condition["transitionID"].text();
  std::int64_t id = -1;
  std::from_chars(text.data(), text.data() + text.size(), id);
  return id;
}

void read_conditions(const Field& conditions, PodGroupObject& group) {
  std::optional<std::int64_t> newest;
  conditions.each_object([&](const Field& condition) {
    const std::int64_t transition = transition_of(condition);
    if (newest && transition < *newest) return;
    newest = transition;
    group.unschedulable_node_pool = condition["nodePool"].text();
  });
}

}  // namespace

void decode(const Field& root, PodGroupObject& group) {
  read_meta(root, group.meta, [&](const Field& other) {
    if (other.key() == "annotations")
      other.each_member([&](const Field& annotation) { read_annotation(annotation, group); });
  });
  check_object(root);
  const Field spec = root.object("spec");
  check_members(spec, {"queue", "minMember", "minSubGroup", "subGroups", "topologyConstraint",
                       "priorityClassName", "preemptibility", "preemptionDelay", "stalenessGracePeriod",
                       "markUnschedulable", "schedulingBackoff"});
  check_preemptibility(spec["preemptibility"]);
  spec.each_member([&](const Field& member) {
    if (!read_shape(member, group)) read_policy(member, group);
  });
  const Field status = root.object("status");
  read_conditions(status["schedulingConditions"], group);
  group.told_preemptibility = status["preemptibility"].text();
}

}  // namespace muster
