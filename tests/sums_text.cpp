// Clusters as text.
#include "tests/sums_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster {
namespace {

std::string text_of(const Charge& c) { return fmt::format("{}/{}/{}", c.units[0], c.units[1], c.units[2]); }

std::string node_text(const Cluster& c, NodeId n) {
  std::vector<std::string> parts;
  for (std::uint32_t k = 0; k < c.kinds().size(); ++k)
    if (c.allocatable().at(Kind(k), n) != 0)
      parts.push_back(fmt::format("{} {}{:+}", c.kinds().name(Kind(k)), c.idle().at(Kind(k), n),
                                  c.releasing().at(Kind(k), n)));
  for (const SharedGpu& g : c.node(n).shared)
    parts.push_back(
        fmt::format("gpu {} {}/{}/{}", c.group_name(g.group), g.allocated, g.releasing, g.pipelined));
  std::sort(parts.begin(), parts.end());
  return fmt::format("node {}: {}", c.node(n).name, fmt::join(parts, ", "));
}

std::string queue_text(const Cluster& c, QueueId q) {
  const QueueUse& use = c.use(q);
  return fmt::format("queue {}: holds {}, for good {}, wants {} and {} MiB", c.queue(q).name,
                     text_of(use.allocated), text_of(use.non_preemptible), text_of(use.pending),
                     use.pending_gpu_memory);
}

std::string task_text(const Cluster& c, TaskId t) {
  const Placement& at = c.placement(t);
  std::string text = fmt::format("task {}: {}", c.task(t).full_name(), name_of(at.status));
  if (at.node.valid()) text += " on " + c.node(at.node).name;
  for (GroupId g : c.groups(at.holding)) text += " " + c.group_name(g);
  return text;
}

std::string job_text(const Cluster& c, JobId j) {
  const Job& job = c.job(j);
  std::string text = fmt::format("job {}: priority {}, {}", job.full_name(), job.priority,
                                 job.is_preemptible() ? "preemptible" : "not preemptible");
  for (const PodSet& p : job.pod_sets) {
    text += fmt::format(", {} of {}:", p.name, p.minimum);
    for (std::size_t s = 0; s < kTaskStatuses; ++s)
      text += fmt::format(" {}", p.counts.of(static_cast<TaskStatus>(s)));
  }
  return text;
}

}  // namespace

std::string sums_text(const Cluster& c) {
  std::vector<std::string> lines;
  for (NodeId n : c.nodes_by_name()) lines.push_back(node_text(c, n));
  for (QueueId q : ids(c.queues()))
    if (c.queue(q).usable) lines.push_back(queue_text(c, q));
  for (TaskId t : ids(c.tasks()))
    if (c.task(t).alive) lines.push_back(task_text(c, t));
  for (JobId j : ids(c.jobs()))
    if (c.job(j).present) lines.push_back(job_text(c, j));
  std::sort(lines.begin(), lines.end());
  lines.push_back("total " + text_of(c.total()));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace muster
