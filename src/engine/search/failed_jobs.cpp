// Jobs that no search could help.
#include "engine/search/failed_jobs.hpp"

#include <algorithm>

namespace muster {
namespace {

bool no_larger(const std::array<std::int64_t, 4>& a, const std::array<std::int64_t, 4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

// The constraints of a shape as text; amounts left out.
std::string text_of(const Constraints& c) {
  std::string out;
  const auto add = [&](const std::string& s) { out += std::to_string(s.size()) + ":" + s; };
  const auto add_term = [&](const std::vector<Requirement>& requirements) {
    for (const Requirement& r : requirements) {
      add(r.key);
      add(std::to_string(static_cast<int>(r.op)));
      for (const std::string& v : r.values) add(v);
      out += ';';
    }
  };
  for (const auto& [k, v] : c.node_selector) add(k), add(v);
  out += '|';
  for (const NodeTerm& t : c.required_affinity) add_term(t.labels), add_term(t.fields), out += '/';
  out += '|';
  for (const Toleration& t : c.tolerations)
    add(t.key), add(t.value), out += t.exists ? 'E' : 'V', out += std::to_string(static_cast<int>(t.effect));
  for (const auto* terms :
       {&c.pod_affinity, &c.pod_anti_affinity, &c.preferred_affinity, &c.preferred_anti_affinity}) {
    out += '|';
    for (const PodAffinityTerm& t : *terms) {
      add(t.topology_key), add_term(t.selector.requirements), add_term(t.namespace_selector.requirements);
      for (const std::string& n : t.namespaces) add(n);
      out += std::to_string(t.weight);
    }
  }
  out += '|';
  for (const HostPort& p : c.host_ports) add(p.ip), add(p.protocol), out += std::to_string(p.port);
  out += '|';
  for (const std::string& v : c.volume_claims) add(v);
  add(c.priority_class);
  out += std::to_string(c.priority);
  add(c.spread_text);
  return out;
}

void add_topology(const TopologyConstraint& t, std::string& out) {
  out += t.topology + "," + t.required + "," + t.preferred + "/";
}

// The set that holds the member, and all above it.
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

}  // namespace

void Signatures::take(const Session& session) {
  const Cluster& c = session.cluster;
  absl::flat_hash_map<std::string, std::uint32_t> known_shapes, known_jobs;
  absl::flat_hash_map<ShapeId, std::uint32_t> of_shape;
  std::vector<std::string> parts;
  std::vector<std::uint32_t> tasks;
  for (JobId j : c.pending_jobs()) {
    const Job& job = c.job(j);
    parts.clear();
    for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p) {
      tasks.clear();
      for (TaskId t : job.pod_sets[p].tasks) {
        if (in(c.placement(t).status, kActiveAllocated)) continue;
        const ShapeId shape = c.task(t).shape;
        const auto [at, is_new] = of_shape.try_emplace(shape, 0);
        if (is_new)
          at->second = known_shapes
                           .try_emplace(text_of(c.shape(shape).constraints),
                                        static_cast<std::uint32_t>(known_shapes.size()))
                           .first->second;
        tasks.push_back(at->second);
      }
      if (tasks.empty()) continue;
      std::sort(tasks.begin(), tasks.end());
      std::string part;
      add_topology(job.pod_sets[p].topology, part);
      add_ancestors(job, p, part);
      for (std::uint32_t t : tasks) part.append(reinterpret_cast<const char*>(&t), sizeof t);
      parts.push_back(std::move(part));
    }
    std::sort(parts.begin(), parts.end());
    std::string whole;
    for (const std::string& part : parts) whole += std::to_string(part.size()) + ":" + part;
    of_job_[j] =
        known_jobs.try_emplace(std::move(whole), static_cast<std::uint32_t>(known_jobs.size())).first->second;
  }
}

std::uint32_t Signatures::of(JobId job) const {
  const auto found = of_job_.find(job);
  return found == of_job_.end() ? 0xFFFFFFFF : found->second;
}

std::vector<FailedJobs::Amounts> FailedJobs::pending_requests(JobId id) const {
  const Cluster& c = session_.cluster;
  std::vector<Amounts> requests;
  for (const PodSet& p : c.job(id).pod_sets)
    for (TaskId t : p.tasks)
      if (c.placement(t).status == TaskStatus::kPending) {
        const Shape& shape = c.shape_of(t);
        requests.push_back(
            {shape.charge.units[0], shape.charge.units[1], shape.charge.units[2], shape.gpu.memory_mib});
      }
  std::sort(requests.begin(), requests.end());
  return requests;
}

JobId FailedJobs::covering(QueueId pool, JobId job) const {
  if (smallest_.empty()) return {};
  const auto found = smallest_.find({pool, session_.signatures().of(job)});
  if (found == smallest_.end()) return {};
  const auto mine = pending_requests(job);
  const auto& [other, theirs] = found->second;
  if (mine.empty() || theirs.empty()) return other;
  if (mine.size() < theirs.size()) return {};
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (no_larger(mine[i], theirs[i]) && mine[i] != theirs[i]) return {};
  return other;
}

void FailedJobs::add(QueueId pool, JobId job) {
  if (!session_.settings.use_signatures) return;
  auto mine = pending_requests(job);
  const auto [at, is_new] = smallest_.try_emplace({pool, session_.signatures().of(job)});
  const auto& theirs = at->second.requests;
  const auto easier = [&] {
    if (mine.size() > theirs.size()) return false;
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!no_larger(mine[i], theirs[i])) return false;
    return true;
  };
  if (is_new || easier()) at->second = {job, std::move(mine)};
}

}  // namespace muster
