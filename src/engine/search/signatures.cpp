// Writes jobs as text and numbers each distinct text.
#include "engine/search/signatures.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/search/constraint_text.hpp"

namespace muster {
namespace {

void add_topology(const TopologyConstraint& t, std::string& out) {
  out += t.topology + "," + t.required + "," + t.preferred + "/";
}

// The set that contains the member, and all sets above it.
void add_ancestors(const Job& job, std::uint32_t pod_set, std::string& out) {
  for (std::uint32_t s = 0; s < job.sets.size(); ++s)
    for (const Member& m : job.sets[s].members) {
      if (!m.is_pod_set || m.at != pod_set) continue;
      for (std::uint32_t at = s;; at = job.sets[at].parent) {
        add_topology(job.sets[at].topology, out);
        if (at == 0) return;
      }
    }
}

class SignatureWriter {
 public:
  explicit SignatureWriter(const Cluster& cluster) : cluster_(cluster) {}

  std::uint32_t signature(const Job& job) {
    parts_.clear();
    for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p) add_part(job, p);
    std::sort(parts_.begin(), parts_.end());
    std::string text;
    for (const std::string& part : parts_) text += std::to_string(part.size()) + ":" + part;
    return jobs_.of(text);
  }

 private:
  void add_part(const Job& job, std::uint32_t pod_set) {
    tasks_.clear();
    for (TaskId t : job.pod_sets[pod_set].tasks)
      if (!in(cluster_.placement(t).status, kActiveAllocated))
        tasks_.push_back(number_of(cluster_.task(t).shape));
    if (tasks_.empty()) return;
    std::sort(tasks_.begin(), tasks_.end());
    std::string& part = parts_.emplace_back();
    add_topology(job.pod_sets[pod_set].topology, part);
    add_ancestors(job, pod_set, part);
    for (std::uint32_t t : tasks_) part.append(reinterpret_cast<const char*>(&t), sizeof t);
  }

  std::uint32_t number_of(ShapeId shape) {
    const auto [at, is_new] = of_shape_.try_emplace(shape, 0);
    if (is_new) at->second = constraints_.of(text_.of(cluster_.shape(shape).constraints));
    return at->second;
  }

  const Cluster& cluster_;
  ConstraintText text_;
  TextNumbers constraints_, jobs_;
  absl::flat_hash_map<ShapeId, std::uint32_t> of_shape_;
  std::vector<std::string> parts_;    // of the current job
  std::vector<std::uint32_t> tasks_;  // of the current part
};

}  // namespace

Signatures::Signatures(const Cluster& cluster) {
  SignatureWriter writer(cluster);
  for (JobId j : cluster.pending_jobs()) of_job_[j] = writer.signature(cluster.job(j));
}

std::uint32_t Signatures::of(JobId job) const {
  const auto found = of_job_.find(job);
  return found == of_job_.end() ? 0xFFFFFFFF : found->second;
}

}  // namespace muster
