// Selects the objects to check and collects the results.
#include "serve/write/object_review.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/cluster.hpp"

namespace muster::serve {
namespace {

constexpr std::string_view kLive = "in the cluster";

std::string amounts_of(const QueueAmounts& amounts) {
  return fmt::format("{}/{}/{}/{};", amounts.quota, amounts.limit, amounts.weight, amounts.limit_missing);
}

std::string runtime_of(const std::optional<Duration>& runtime) {
  return runtime ? format_duration(*runtime) : "-";
}

// Collects the notices of one look.
class Look {
 public:
  Look(const checks::Checked& checked, const ReadWarnings& read) : checked_(checked), read_(read) {}

  void job(const Job& job) {
    checks::check_job(checked_, job, warnings_);
    add("PodGroup", job.ns, job.name);
  }
  void queue(const Queue& queue) {
    checks::check_amounts(checked_, queue, warnings_);
    checks::check_runtimes(checked_, queue, warnings_);
    add("Queue", "", queue.name);
  }
  void node(NodeId node) {
    checks::check_node(checked_, node, warnings_);
    add("Node", "", checked_.cluster.node(node).name);
  }
  void pod(const Task& pod) { add("Pod", pod.ns, pod.name); }

  std::vector<Notice> take() { return std::move(notices_); }

 private:
  void add(const char* kind, const std::string& ns, const std::string& name) {
    Notice& notice = notices_.emplace_back(Notice{kind, ns, name, {}, {}});
    for (const ObjectWarning& warning : warnings_.take())
      notice.from_checks.push_back(warning.field + ": " + warning.message);
    const auto& read = read_.of(std::string(kind) + " " + muster::key_of(ns, name));
    notice.texts.assign(read.begin(), read.end());
    notice.texts.insert(notice.texts.end(), notice.from_checks.begin(), notice.from_checks.end());
  }

  const checks::Checked& checked_;
  const ReadWarnings& read_;
  checks::Warnings warnings_;
  std::vector<Notice> notices_;
};

std::pair<std::string, std::string> split(const std::string& key) {
  const std::size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

// The status of queues changes all the time, but jobs and other queues depend only on the facts compared
// here.
ObjectReview::Extent ObjectReview::reach_of(const Cluster& cluster, const ObjectChanges& changes) {
  Extent extent = changes.classes ? Extent::kQueuesAndJobs : Extent::kNothing;
  for (const std::string& name : changes.queues) {
    const QueueId id = cluster.find_queue(name);
    const Queue missing{}, &queue = id.valid() ? cluster.queue(id) : missing;
    Facts now{
        .place = fmt::format("{} {} {}", queue.present, queue.parent_name, fmt::join(queue.namespaces, ",")),
        .amounts = amounts_of(queue.cpu) + amounts_of(queue.memory) + amounts_of(queue.gpu) +
                   runtime_of(queue.preempt_min_runtime) + runtime_of(queue.reclaim_min_runtime)};
    Facts& before = queues_[name];
    if (before.place != now.place)
      extent = Extent::kQueuesAndJobs;
    else if (before.amounts != now.amounts)
      extent = std::max(extent, Extent::kQueues);
    before = std::move(now);
  }
  return extent;
}

std::vector<Notice> ObjectReview::look(const Cluster& cluster, const ObjectChanges& changes,
                                       const ReadWarnings& read) {
  const Extent extent = reach_of(cluster, changes);
  const checks::Checked checked{cluster, reclaims_by_lca_, kLive};
  Look look(checked, read);
  const auto is_looked_at = [&](const Queue& queue) {
    return queue.present && (extent != Extent::kNothing || changes.queues.contains(queue.name));
  };
  if (extent != Extent::kNothing || !changes.queues.empty())
    for (const Queue& queue : cluster.queues())
      if (is_looked_at(queue)) look.queue(queue);
  if (extent == Extent::kQueuesAndJobs) {
    for (const Job& job : cluster.jobs())
      if (job.present) look.job(job);
  } else {
    for (const std::string& key : changes.jobs) {
      const auto [ns, name] = split(key);
      if (const JobId id = cluster.find_job(ns, name); id.valid() && cluster.job(id).present)
        look.job(cluster.job(id));
    }
  }
  for (const std::string& name : changes.nodes)
    if (const NodeId id = cluster.find_node(name); id.valid() && cluster.node(id).present) look.node(id);
  for (const std::string& key : changes.pods) {
    const auto [ns, name] = split(key);
    if (const TaskId id = cluster.find_task(ns, name); id.valid() && !cluster.task(id).foreign)
      look.pod(cluster.task(id));
  }
  return look.take();
}

}  // namespace muster::serve
