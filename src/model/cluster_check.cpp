// Prints and recounts the sums, for tests and debug builds.
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
  for (NodeId n : ids(nodes())) {
    out += "node " + nodes_[n].name;
    for (Kind k : idle().offered())
      out += " " + std::to_string(idle().at(k, n)) + "/" + std::to_string(releasing().at(k, n));
    for (const SharedGpu& g : nodes_[n].shared)
      out += " " + groups_.name(g.group) + ":" + std::to_string(g.allocated) + "," +
             std::to_string(g.releasing) + "," + std::to_string(g.pipelined);
    for (const SharedGpu& g : nodes_[n].claimed)
      out += " device " + std::to_string(g.group.index()) + ":" + std::to_string(g.allocated) + "," +
             std::to_string(g.releasing) + "," + std::to_string(g.pipelined);
    out += " foreign ";
    tell(out, nodes_.foreign(n));
    out += "\n";
  }
  for (QueueId q : ids(queues())) {
    out += "queue " + queues_[q].name + " ";
    tell(out, use(q).allocated);
    tell(out, use(q).non_preemptible);
    tell(out, use(q).pending);
    out += std::to_string(use(q).pending_gpu_memory) + "\n";
  }
  for (TaskId t : ids(tasks())) {
    const Placement& at = placement(t);
    out += "task " + task(t).full_name() + " " + std::string(name_of(at.status)) + " " +
           std::to_string(at.node.index()) + " " + std::to_string(at.holding.index()) + " " +
           std::to_string(at.source.index()) + (at.virtually_evicted ? " virtual" : "") + "\n";
  }
  for (JobId j : ids(jobs())) {
    out += "job " + job(j).full_name() + " ";
    tell(out, job(j).held);
    for (const PodSet& p : job(j).pod_sets) {
      out += " of " + std::to_string(p.minimum);
      for (std::size_t s = 0; s < kTaskStatuses; ++s)
        out += " " + std::to_string(p.counts.of(static_cast<TaskStatus>(s)));
    }
    out += " elastic " + std::to_string(static_cast<int>(elastic_state(job(j))));
    out += jobs_.is_pending(j) ? " pending" : "";
    out += jobs_.is_broken(j) ? " broken\n" : "\n";
  }
  return out + devices_.fingerprint();
}

std::string Cluster::recount() const {
  Cluster fresh = *this;
  for (NodeId n : ids(nodes())) fresh.nodes_.set_stale(n);
  fresh.nodes_.clear_foreign();
  fresh.jobs_.clear_counts();
  fresh.shapes_.clear_counts();
  fresh.recount_claims();
  fresh.recount_stale_nodes();
  for (TaskId t : ids(tasks())) {
    const Placement& at = placement(t);
    if (task(t).is_workload()) fresh.shapes_.count_tasks(task(t).shape, +1);
    if (task(t).in_job()) fresh.count(task(t), at.status, +1);
    if (task(t).foreign && at.node.valid() && in(at.status, kActiveUsed))
      fresh.nodes_.add_foreign(at.node, shape_of(t).charge, +1);
  }
  fresh.recount_queues();  // which tasks form a core depends on the state of the gangs
  if (nodes_.are_totals_current()) {
    fresh.sum_up_nodes();
    if (fresh.total() != total()) return "the total of all nodes is wrong";
  }
  if (shapes_.patterns() != fresh.shapes_.patterns()) return "the task counts by pattern are wrong";
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
