// Table of changes. Each row has the name of a kind, its spelling on the command line, and its function.
#include "answers/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "answers/change_parts.hpp"
#include "model/reason_text.hpp"
#include "util/suggest.hpp"
#include "util/words.hpp"

namespace muster::answers {
namespace {

struct Row {
  ChangeKind kind;
  std::string_view name;
  std::string_view field;  // the field that --set names; "" for other kinds
  Result<void> (*apply)(Change&, Cluster&, TimePoint&);
};

Result<void> advance(Change& change, Cluster&, TimePoint& now) {
  const auto to = parse_time(std::get<std::string>(change.to));
  if (!to)
    return Error{fmt::format("\"{}\" is not an RFC 3339 timestamp", std::get<std::string>(change.to)), {}};
  if (*to < now)
    return Error{fmt::format("{} is in the past; the clock cannot go back", format_time(*to)), {}};
  change.from = format_time(now);
  now = *to;
  return {};
}

Result<void> leave(Change&, Cluster&, TimePoint&) { return {}; }

constexpr std::array kRows{
    Row{ChangeKind::kQueueQuota, "queueQuota", "quota", set_queue_amount},
    Row{ChangeKind::kQueueLimit, "queueLimit", "limit", set_queue_amount},
    Row{ChangeKind::kQueueWeight, "queueWeight", "overQuotaWeight", set_queue_amount},
    Row{ChangeKind::kQueuePriority, "queuePriority", "priority", set_queue_priority},
    Row{ChangeKind::kQueuePreemptMinRuntime, "queuePreemptMinRuntime", "preemptMinRuntime",
        set_queue_runtime},
    Row{ChangeKind::kQueueReclaimMinRuntime, "queueReclaimMinRuntime", "reclaimMinRuntime",
        set_queue_runtime},
    Row{ChangeKind::kQueueParent, "queueParent", "parentQueue", set_queue_parent},
    Row{ChangeKind::kJobPriority, "jobPriority", "priority", set_job_priority},
    Row{ChangeKind::kJobPreemptibility, "jobPreemptibility", "preemptibility", set_job_preemptibility},
    Row{ChangeKind::kJobMinimum, "jobMinimum", "minMember", set_job_minimum},
    Row{ChangeKind::kJobQueue, "jobQueue", "queue", set_job_queue},
    Row{ChangeKind::kPodSize, "podSize", "", set_pod_size},
    Row{ChangeKind::kTopologyLevel, "topologyLevel", "", set_topology_level},
    Row{ChangeKind::kNodeLabel, "nodeLabel", "", set_node_label},
    Row{ChangeKind::kToleration, "toleration", "", add_toleration},
    Row{ChangeKind::kAddNodes, "addNodes", "", add_nodes},
    Row{ChangeKind::kDrainNode, "drainNode", "", drain_node},
    Row{ChangeKind::kRemoveNode, "removeNode", "", remove_node},
    Row{ChangeKind::kDeleteJob, "deleteJob", "", delete_job},
    Row{ChangeKind::kTime, "time", "", advance},
    Row{ChangeKind::kSubmit, "submit", "", leave},
    Row{ChangeKind::kConfig, "config", "", leave},
};

const Row& row_of(ChangeKind kind) { return *std::ranges::find(kRows, kind, &Row::kind); }

constexpr std::array<std::string_view, 3> kResources{"cpu", "memory", "gpu"};

bool has_resource(ChangeKind kind) {
  return kind == ChangeKind::kQueueQuota || kind == ChangeKind::kQueueLimit ||
         kind == ChangeKind::kQueueWeight;
}
bool is_of_queue(ChangeKind kind) { return kind <= ChangeKind::kQueueParent; }
bool is_number(ChangeKind kind) {
  return has_resource(kind) || kind == ChangeKind::kQueuePriority || kind == ChangeKind::kJobMinimum;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Splits the text at the last occurrence of the character, because names may contain it.
std::pair<std::string_view, std::string_view> split_last(std::string_view text, char at) {
  const auto place = text.rfind(at);
  if (place == text.npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

Error bad_setting(std::string_view text, std::string why) {
  return {fmt::format("--set {}: {}", text, std::move(why)), {}};
}

Result<ChangeKind> field_named(std::string_view name, bool of_queue, std::string_view text) {
  std::vector<std::string_view> known;
  for (const Row& row : kRows) {
    if (row.field.empty() || is_of_queue(row.kind) != of_queue) continue;
    if (row.field == name) return row.kind;
    known.push_back(row.field);
  }
  return bad_setting(text, fmt::format("a {} has no field \"{}\" (it has {}){}", of_queue ? "queue" : "job",
                                       name, fmt::join(known, ", "), did_you_mean(name, known)));
}

Result<Accounted> resource_named(std::string_view name, std::string_view text) {
  if (name.empty()) return bad_setting(text, "names no resource; write queue/NAME.gpu.quota=12");
  const auto found = std::ranges::find(kResources, name);
  if (found != kResources.end()) return kAccounted[static_cast<std::size_t>(found - kResources.begin())];
  return bad_setting(
      text, fmt::format("\"{}\" is invalid; expected one of {} (write queue/NAME.gpu.quota=12){}", name,
                        fmt::join(kResources, ", "), did_you_mean(name, kResources)));
}

std::string words(const ChangeValue& value) {
  constexpr double kReadable = 1e15;
  if (const auto* number = std::get_if<double>(&value)) {
    if (*number == -1) return "unlimited";
    return *number < kReadable ? decimal(*number) : fmt::format("{:g}", *number);
  }
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr || text->empty() ? "none" : *text;
}

std::string unit_of(const Change& change) {
  if (change.kind == ChangeKind::kQueueWeight || !change.resource) return "";
  constexpr std::array<std::string_view, 3> kUnits{" cores", " GB", " GPUs"};
  return std::string(kUnits[index(*change.resource)]);
}

std::string_view what_changes(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kQueueQuota:
      return "quota";
    case ChangeKind::kQueueLimit:
      return "limit";
    case ChangeKind::kQueueWeight:
      return "over-quota weight";
    case ChangeKind::kQueuePriority:
    case ChangeKind::kJobPriority:
      return "priority";
    case ChangeKind::kQueuePreemptMinRuntime:
      return "minimum runtime before a preemption";
    case ChangeKind::kQueueReclaimMinRuntime:
      return "minimum runtime before a reclaim";
    case ChangeKind::kQueueParent:
      return "parent";
    case ChangeKind::kJobPreemptibility:
      return "preemptibility";
    case ChangeKind::kJobMinimum:
      return "minMember";
    case ChangeKind::kJobQueue:
      return "queue";
    case ChangeKind::kPodSize:
      return "GPUs per pod";
    case ChangeKind::kTopologyLevel:
      return "required topology level";
    case ChangeKind::kNodeLabel:
      return "node selector";
    case ChangeKind::kToleration:
      return "toleration";
    default:
      return "";
  }
}

}  // namespace

std::string_view name_of(ChangeKind kind) { return row_of(kind).name; }
std::string_view name_of(Accounted resource) { return kResources[index(resource)]; }

std::string text_of(const Change& c) {
  switch (c.kind) {
    case ChangeKind::kAddNodes: {
      const double count = std::get<double>(c.to);
      return fmt::format("{} more {} {}{}", decimal(count), count == 1 ? "node" : "nodes",
                         c.target.find('=') == c.target.npos ? "like " : "with ", c.target);
    }
    case ChangeKind::kDrainNode:
      return "node " + c.target + " drained";
    case ChangeKind::kRemoveNode:
      return "node " + c.target + " removed";
    case ChangeKind::kDeleteJob:
      return "job " + c.target + " deleted";
    case ChangeKind::kTime:
      return "time: at " + words(c.to);
    case ChangeKind::kSubmit:
      return "submit " + c.target;
    case ChangeKind::kConfig:
      return "configuration " + c.target;
    case ChangeKind::kToleration:
      return fmt::format("job {}: tolerate {}", c.target, words(c.to));
    default:
      return fmt::format(
          "{} {}: {}{} {} → {}{}", is_of_queue(c.kind) ? "queue" : "job", c.target,
          c.resource && c.kind == ChangeKind::kQueueWeight ? fmt::format("{} ", name_of(*c.resource)) : "",
          what_changes(c.kind), words(c.from), words(c.to), unit_of(c));
  }
}

Result<Change> parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos) return bad_setting(text, "has no value; write queue/NAME.gpu.quota=12");
  const std::string_view value = text.substr(equals + 1);
  std::string_view path = text.substr(0, equals);
  const bool of_queue = path.starts_with("queue/");
  if (!of_queue && !path.starts_with("job/")) return bad_setting(text, "must start with queue/ or job/");
  path.remove_prefix(path.find('/') + 1);
  const auto [named, field] = split_last(path, '.');
  const auto kind = field_named(field, of_queue, text);
  if (!kind) return kind.error();
  Change change{.kind = *kind, .target = std::string(named)};
  if (has_resource(*kind)) {
    const auto [queue, resource] = split_last(named, '.');
    const auto known = resource_named(resource, text);
    if (!known) return known.error();
    change.target = queue;
    change.resource = *known;
  }
  if (change.target.empty()) return bad_setting(text, "names no queue or job");
  if (!is_number(*kind)) {
    change.to = std::string(value);
    return change;
  }
  const auto parsed = number(value);
  if (!parsed) return bad_setting(text, fmt::format("\"{}\" is not a number", value));
  change.to = *parsed;
  return change;
}

Result<Change> parse_addition(std::string_view text) {
  const auto colon = text.find(':');
  const auto bad = [&](std::string why) {
    return Error{
        fmt::format("--add {}: {}; write 4:like=NODE or 2:gpus=8,cpu=96,memory=1Ti", text, std::move(why)),
        {}};
  };
  if (colon == text.npos) return bad("expected N:WHAT");
  const auto count = number(text.substr(0, colon));
  if (!count || *count < 1 || *count != std::floor(*count)) return bad("must start with a number of nodes");
  if (*count > kMostAddedNodes)
    return bad(fmt::format("at most {} nodes can be added at once", kMostAddedNodes));
  std::string_view what = text.substr(colon + 1);
  if (what.starts_with("like=")) what.remove_prefix(5);
  if (what.empty()) return bad("does not say which nodes to add");
  return Change{.kind = ChangeKind::kAddNodes, .target = std::string(what), .to = *count};
}

Result<void> apply(Change& change, Cluster& cluster, TimePoint& now) {
  return row_of(change.kind).apply(change, cluster, now);
}

}  // namespace muster::answers
