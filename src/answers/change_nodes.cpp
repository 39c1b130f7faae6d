// Changes of nodes: adding, draining and removing them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "answers/api_objects.hpp"
#include "answers/change_parts.hpp"
#include "answers/find_job.hpp"
#include "util/quantity.hpp"
#include "util/suggest.hpp"

namespace muster::answers {
namespace {

constexpr const char* kHostname = "kubernetes.io/hostname";

void set_label(Labels& labels, std::string_view key, const std::string& value) {
  for (auto& [known, old] : labels)
    if (known == key) old = value;
}

// A copy of the node as it would join: with a new name, empty and healthy.
NodeObject like(const Cluster& cluster, NodeId node) {
  NodeObject object = node_object_of(cluster, node);
  object.conditions = {};
  return object;
}

// Parses "gpus=8,cpu=96,memory=1Ti".
Result<NodeObject> parse_node(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kKnown{"gpus", "cpu", "memory", "pods"};
  NodeObject object;
  std::string_view left = text;
  bool has_pods = false;
  while (!left.empty()) {
    const std::string_view part = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), part.size() + 1));
    const auto equals = part.find('=');
    const std::string_view key = part.substr(0, equals),
                           value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
    const bool is_memory = key == "memory";
    const auto amount = is_memory || key == "pods" ? quantity_value(value) : quantity_milli(value);
    if (std::ranges::find(kKnown, key) == kKnown.end())
      return Error{fmt::format("--add {}: \"{}\" is invalid; expected one of {}{}", text, key,
                               fmt::join(kKnown, ", "), did_you_mean(key, kKnown)),
                   {}};
    if (!amount || *amount < 0 || (key == "gpus" && *amount % kOneGpu != 0))
      return Error{fmt::format("--add {}: {}: \"{}\" is not an amount (e.g. 8, 96, 1Ti)", text, key, value),
                   {}};
    const std::string resource = key == "gpus" ? "nvidia.com/gpu" : std::string(key);
    if (std::ranges::find(object.allocatable, resource, &NamedAmount::name) != object.allocatable.end())
      return Error{fmt::format("--add {}: {} is given twice", text, key), {}};
    has_pods |= key == "pods";
    object.allocatable.push_back({resource, *amount});
  }
  if (!has_pods) object.allocatable.push_back({"pods", 110});
  object.meta.name = "new";
  return object;
}

std::string fresh_name(const Cluster& cluster, const std::string& base, int& number) {
  for (;; ++number) {
    std::string name = fmt::format("{}-new-{}", base, number);
    if (const NodeId known = cluster.find_node(name); !known.valid() || !cluster.node(known).present)
      return name;
  }
}

// The owners of the pods on a removed node create them again, and they become pending. Pods that reserve a
// GPU are removed with the node.
void evict_pods(Cluster& cluster, NodeId node) {
  for (TaskId t : ids(cluster.tasks())) {
    const Placement& at = cluster.placement(t);
    if (!cluster.task(t).alive || at.node != node || !in(at.status, kActiveUsed)) continue;
    cluster.release_claims(t);
    const std::string ns = cluster.task(t).ns, name = cluster.task(t).name;
    if (cluster.task(t).job.valid() && !cluster.task(t).is_reservation)
      cluster.observe(t, {.phase = PodPhase::kPending});
    else
      cluster.remove(PodObject::kKind, ns, name);
  }
}

}  // namespace

Result<NodeId> node_named(const Cluster& cluster, std::string_view name) {
  if (const NodeId n = cluster.find_node(name); n.valid() && cluster.node(n).present) return n;
  std::vector<std::string_view> known;
  for (const Node& node : cluster.nodes())
    if (node.present) known.push_back(node.name);
  return Error{fmt::format("there is no node \"{}\"{}", name, nearest_names(name, std::move(known))), {}};
}

std::vector<JobId> jobs_on(const Cluster& cluster, NodeId node) {
  std::set<JobId> jobs;
  for (TaskId t : ids(cluster.tasks())) {
    const Placement& at = cluster.placement(t);
    if (cluster.task(t).alive && cluster.task(t).job.valid() && at.node == node && in(at.status, kActiveUsed))
      jobs.insert(cluster.task(t).job);
  }
  return {jobs.begin(), jobs.end()};
}

Result<void> add_nodes(Change& change, Cluster& cluster, TimePoint& now) {
  NodeObject model;
  if (change.target.find('=') != change.target.npos) {
    auto given = parse_node(change.target);
    if (!given) return given.error();
    model = *std::move(given);
  } else {
    const auto node = node_named(cluster, change.target);
    if (!node) return node.error();
    model = like(cluster, *node);
  }
  const std::string base = model.meta.name;
  const auto count = static_cast<int>(std::get<double>(change.to));
  for (int i = 0, number = 1; i < count; ++i, ++number) {
    NodeObject object = model;
    object.meta.name = object.meta.uid = fresh_name(cluster, base, number);
    object.meta.created = now;
    set_label(object.meta.labels, kHostname, object.meta.name);
    cluster.apply(std::move(object));
  }
  return {};
}

Result<void> drain_node(Change& change, Cluster& cluster, TimePoint&) {
  const auto node = node_named(cluster, change.target);
  if (!node) return node.error();
  NodeObject object = node_object_of(cluster, *node);
  object.conditions.unschedulable = true;
  cluster.apply(std::move(object));
  evict_pods(cluster, *node);
  return {};
}

Result<void> remove_node(Change& change, Cluster& cluster, TimePoint&) {
  const auto node = node_named(cluster, change.target);
  if (!node) return node.error();
  evict_pods(cluster, *node);
  cluster.remove(NodeObject::kKind, "", change.target);
  return {};
}

}  // namespace muster::answers
