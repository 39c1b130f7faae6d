// The sums, told and recounted: for tests and debug builds.
#include <algorithm>

#include "model/cluster.hpp"

namespace muster {
namespace {

void tell(std::string& out, const Charge& c) {
  for (auto u : c.units) out += std::to_string(u) + ",";
}

}  // namespace

std::string Cluster::fingerprint() const {
  std::string out;
  for (NodeId n : ids(nodes_)) {
    out += "node " + nodes_[n].name;
    for (std::uint32_t k = 0; k < idle_.kinds(); ++k)
      out += " " + std::to_string(idle_.at(Kind(k), n)) + "/" + std::to_string(releasing_.at(Kind(k), n));
    for (const SharedGpu& g : nodes_[n].shared)
      out += " " + group_names_[g.group] + ":" + std::to_string(g.allocated) + "," +
             std::to_string(g.releasing) + "," + std::to_string(g.pipelined);
    for (const SharedGpu& g : nodes_[n].claimed)
      out += " device " + std::to_string(g.group.index()) + ":" + std::to_string(g.allocated) + "," +
             std::to_string(g.releasing) + "," + std::to_string(g.pipelined);
    out += " foreign ";
    tell(out, foreign_[n]);
    out += "\n";
  }
  for (QueueId q : ids(queues_)) {
    out += "queue " + queues_[q].name + " ";
    tell(out, uses_[q].allocated);
    tell(out, uses_[q].non_preemptible);
    tell(out, uses_[q].pending);
    out += std::to_string(uses_[q].pending_gpu_memory) + "\n";
  }
  for (TaskId t : ids(tasks_)) {
    const Placement& at = placements_[t];
    out += "task " + tasks_[t].full_name() + " " + std::string(name_of(at.status)) + " " +
           std::to_string(at.node.index()) + " " + std::to_string(at.groups.index()) + " " +
           std::to_string(at.leaving.index()) + (at.virtually_evicted ? " virtual" : "") + "\n";
  }
  for (JobId j : ids(jobs_)) {
    out += "job " + jobs_[j].full_name();
    for (const PodSet& p : jobs_[j].pod_sets)
      for (std::size_t s = 0; s < kTaskStatuses; ++s)
        out += " " + std::to_string(p.counts.of(static_cast<TaskStatus>(s)));
    out += pending_jobs_.contains(j) ? " pending" : "";
    out += broken_gangs_.contains(j) ? " broken\n" : "\n";
  }
  return out + devices_.fingerprint();
}

std::string Cluster::recount() const {
  Cluster fresh = *this;
  for (NodeId n : ids(fresh.nodes_)) fresh.set_stale(n), fresh.foreign_[n] = {};
  for (Job& job : fresh.jobs_) {
    job.counts = {};
    for (PodSet& p : job.pod_sets) p.counts = {};
  }
  fresh.recount_claims();
  fresh.recount_stale_nodes();
  fresh.recount_queues();
  for (TaskId t : ids(fresh.tasks_)) {
    const Placement& at = placements_[t];
    const Task& task = fresh.tasks_[t];
    if (task.in_job()) fresh.account_counts(task, at.status, +1);
    if (task.foreign && at.node.valid() && in(at.status, kActiveUsed))
      fresh.foreign_[at.node] += shapes_[task.shape].charge;
  }
  const std::string kept = fingerprint(), counted = fresh.fingerprint();
  if (kept == counted) return "";
  const auto [a, b] = std::mismatch(kept.begin(), kept.end(), counted.begin(), counted.end());
  const auto line = [](const std::string& text, auto at) {
    const auto offset = static_cast<std::size_t>(at - text.begin());
    const auto start = text.rfind('\n', offset == 0 ? 0 : offset - 1);
    return text.substr(start == std::string::npos ? 0 : start + 1, 200);
  };
  return "kept    " + line(kept, a) + "\ncounted " + line(counted, b);
}

}  // namespace muster
