// Chooses the hint by the reason: a missing parent, the leaf queues below, or the nearest usable queues.
#include "cli/explain/queue_hint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/find_job.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

bool takes_jobs_of(const Cluster& cluster, const Queue& queue, const Job& job) {
  return queue.usable && queue.is_leaf() && &queue != &cluster.queue(cluster.queue_tree().no_queue()) &&
         queue.admits(job.ns);
}

std::string nearest_queues(const Cluster& cluster, const Job& job) {
  std::vector<std::string_view> names;
  for (const Queue& queue : cluster.queues())
    if (takes_jobs_of(cluster, queue, job)) names.push_back(queue.name);
  if (names.empty()) return "; there is none yet.";
  const std::string near = answers::nearest_names(job.queue_name, std::move(names));
  return near.ends_with('?') ? near : near + ".";
}

std::string leaves_below(const Cluster& cluster, QueueId top, const Job& job) {
  std::vector<std::string> names;
  std::vector<QueueId> todo{top};
  while (!todo.empty()) {
    const Queue& queue = cluster.queue(todo.back());
    todo.pop_back();
    todo.insert(todo.end(), queue.children.begin(), queue.children.end());
    if (takes_jobs_of(cluster, queue, job)) names.push_back(queue.name);
  }
  return summarised(std::move(names));
}

// Advice on the parents of a queue that exists but is not connected to a root queue.
std::string parent_hint(const Cluster& cluster, QueueId named) {
  std::vector<std::string> path{cluster.queue(named).name};
  for (QueueId q = named; !cluster.queue(q).parent_name.empty();) {
    const std::string& above = cluster.queue(q).parent_name;
    const bool is_cycle = std::ranges::find(path, above) != path.end();
    q = cluster.find_queue(above);
    if (!q.valid() || !cluster.queue(q).present)
      return fmt::format("Create queue \"{}\", the missing parent of \"{}\".", above, path.back());
    path.push_back(above);
    if (is_cycle)
      return fmt::format("Change the parent of one of these queues, which form a cycle: {}.",
                         fmt::join(path, " → "));
  }
  return "Correct its parent queues so that jobs can run below them.";
}

}  // namespace

std::optional<std::string> queue_hint(const Cluster& cluster, const Job& job, const JobReason& reason) {
  const QueueId named = cluster.find_queue(job.queue_name);
  const bool exists = !job.queue_name.empty() && named.valid() && cluster.queue(named).present;
  switch (reason.rule) {
    case JobRule::kQueueMissing:
      return exists ? parent_hint(cluster, named) : "Use an existing queue" + nearest_queues(cluster, job);
    case JobRule::kQueueNotLeaf:
      if (const std::string leaves = leaves_below(cluster, named, job); !leaves.empty())
        return fmt::format("Use one of the queues below it: {}.", leaves);
      return "Use a leaf queue" + nearest_queues(cluster, job);
    case JobRule::kQueueClosed:
      return fmt::format("Use a queue that is open to namespace \"{}\"{}", job.ns,
                         nearest_queues(cluster, job));
    default:
      return std::nullopt;
  }
}

}  // namespace muster::cli
