// Collects the facts of pods, PodGroups, queues and nodes, and finds the first difference.
#include "serve/check/object_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/cluster.hpp"

namespace muster::serve {
namespace {

std::string text(const std::optional<Duration>& d) { return d ? format_duration(*d) : "none"; }
std::string text(const std::optional<TimePoint>& t) { return t ? format_time(*t) : "none"; }
std::string text(const std::optional<std::string>& t) { return t.value_or("none"); }
std::string text(const QueueAmounts& a) {
  return fmt::format("quota {} limit {} weight {}", a.quota, a.limit, a.weight);
}

std::string joined(std::vector<std::string> words) {
  std::ranges::sort(words);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string labels_text(const Labels& labels) {
  std::vector<std::string> words;
  for (const auto& [key, value] : labels) words.push_back(key + "=" + value);
  return joined(std::move(words));
}

std::string taints_text(const std::vector<Taint>& taints) {
  std::vector<std::string> words;
  for (const Taint& taint : taints)
    words.push_back(fmt::format("{}={}:{}", taint.key, taint.value, static_cast<int>(taint.effect)));
  return joined(std::move(words));
}

std::string amounts_text(const Cluster& cluster, const Request& amounts) {
  std::vector<std::string> words;
  for (const Amount& amount : amounts)
    words.push_back(fmt::format("{} {}", cluster.kinds().name(amount.kind), amount.units));
  return joined(std::move(words));
}

std::string tree_text(const Job& job) {
  std::vector<std::string> words;
  for (const PodSet& set : job.pod_sets)
    words.push_back(fmt::format("{} at least {}", set.name, set.minimum));
  for (const GroupSet& set : job.sets)
    words.push_back(fmt::format("{}: {} of {}", set.name, set.required(), set.members.size()));
  return joined(std::move(words));
}

Facts facts_of(const Cluster& cluster, TaskId id) {
  if (!id.valid() || !cluster.task(id).alive) return {};
  const Placement& at = cluster.placement(id);
  const JobId job = cluster.task(id).job;
  return {{"status", std::string(name_of(at.status))},
          {"node", at.node.valid() ? cluster.node(at.node).name : "none"},
          {"job", job.valid() ? cluster.job(job).full_name() : "none"}};
}

Facts facts_of(const Job& job) {
  return {{"queue", job.queue_name},
          {"priority class", job.priority_class},
          {"preemptibility", job.preemptibility_spec},
          {"sub groups", tree_text(job)},
          {"preemption delay", text(job.preemption_delay)},
          {"staleness grace period", text(job.staleness_grace)},
          {"last start", text(job.last_start)},
          {"expected runtime", text(job.expected_runtime)},
          {"requeue not before", text(job.requeue_not_before)}};
}

Facts facts_of(const Queue& queue) {
  return {{"parent", queue.parent_name},
          {"priority", std::to_string(queue.priority)},
          {"cpu", text(queue.of(Accounted::kCores))},
          {"memory", text(queue.of(Accounted::kBytes))},
          {"gpu", text(queue.of(Accounted::kGpus))},
          {"preempt minimum runtime", text(queue.preempt_min_runtime)},
          {"reclaim minimum runtime", text(queue.reclaim_min_runtime)}};
}

Facts facts_of(const Cluster& cluster, const Node& node) {
  return {{"usable", node.usable() ? "yes" : "no"},
          {"labels", labels_text(node.labels)},
          {"taints", taints_text(node.taints)},
          {"allocatable", amounts_text(cluster, node.allocatable)}};
}

}  // namespace

Facts facts_of(const Cluster& cluster, const std::string& kind, const std::string& ns,
               const std::string& name) {
  if (kind == "Pod") return facts_of(cluster, cluster.find_task(ns, name));
  if (kind == "PodGroup") {
    const JobId job = cluster.find_job(ns, name);
    return job.valid() && cluster.job(job).present ? facts_of(cluster.job(job)) : Facts();
  }
  if (kind == "Queue") {
    const QueueId queue = cluster.find_queue(name);
    return queue.valid() && cluster.queue(queue).present ? facts_of(cluster.queue(queue)) : Facts();
  }
  const NodeId node = cluster.find_node(name);
  return node.valid() && cluster.node(node).present ? facts_of(cluster, cluster.node(node)) : Facts();
}

std::string difference(const Facts& found, const Facts& expected) {
  if (found.empty() && !expected.empty()) return "is missing";
  if (expected.empty() && !found.empty()) return "should not be in the model";
  const auto [ours, theirs] = std::ranges::mismatch(found, expected);
  if (ours == found.end()) return "";
  return fmt::format("{} is {}, should be {}", ours->first, ours->second, theirs->second);
}

}  // namespace muster::serve
