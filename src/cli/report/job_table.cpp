// The jobs as a table, in the order of the queue tree.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "cli/report/job_state.hpp"
#include "cli/report/names.hpp"
#include "cli/report/text_parts.hpp"

namespace muster::cli {
namespace {

Ink ink_of(std::string_view status) {
  if (status == "Running") return Ink::kGood;
  if (status == "Pending" || status == "NotReady") return Ink::kWaiting;
  if (status == "Incomplete") return Ink::kBad;
  return Ink::kDim;
}

// A queue's place in the tree, depth first; queues that can not be used come last.
IdVector<QueueId, std::size_t> queue_ranks(const Cluster& cluster) {
  IdVector<QueueId, std::size_t> ranks(cluster.queues().size(), cluster.queues().size());
  std::size_t rank = 0;
  for (QueueId q : cluster.queue_tree().depth_first()) ranks[q] = rank++;
  return ranks;
}

std::vector<JobId> jobs_by_queue(const Cluster& cluster) {
  const auto ranks = queue_ranks(cluster);
  const auto key = [&](const Job& job) {
    return std::tuple(ranks[job.queue], std::string_view(job.queue_name), -job.priority, job.created);
  };
  std::vector<JobId> jobs = present_jobs(cluster);
  std::stable_sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
    const Job &x = cluster.job(a), &y = cluster.job(b);
    const auto left = key(x), right = key(y);
    return left != right ? left < right : natural_less(x.name, y.name);
  });
  return jobs;
}

std::string nodes_of(const Cluster& cluster, const Job& job) {
  Tally nodes;
  for (const PodSet& set : job.pod_sets)
    for (TaskId t : set.tasks)
      if (const Placement& at = cluster.placement(t); in(at.status, kAllocatedSet) && at.node.valid())
        ++nodes[cluster.node(at.node).name];
  return summarised(nodes);
}

std::string pods_of(const Job& job) {
  return fmt::format("{}/{}", job.counts.in(kAllocatedSet), job.counts.in(kAlive));
}

}  // namespace

std::string jobs_text(const Cluster& cluster, const TextStyle& style) {
  const JobNames names(cluster);
  Table table({{"job"},
               {"queue"},
               {"priority", Align::kRight},
               {"pods", Align::kRight},
               {"min", Align::kRight},
               {"status"},
               {"nodes"}});
  for (JobId j : jobs_by_queue(cluster)) {
    const Job& job = cluster.job(j);
    const std::string status = status_of(job);
    table.add({names.of(j),
               job.queue_name,
               std::to_string(job.priority),
               pods_of(job),
               std::to_string(minimum_pods(job)),
               {status, ink_of(status)},
               nodes_of(cluster, job)});
  }
  return table.empty() ? "" : style.heading("Jobs") + table.text(style.table());
}

}  // namespace muster::cli
