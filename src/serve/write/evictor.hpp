// Evictions as writes: each until it is done or can not be.
#pragma once

#include <string>
#include <vector>

#include "serve/write/protected_jobs.hpp"
#include "serve/write/requests.hpp"

namespace muster {
struct EvictDecision;
}

namespace muster::serve {

class PodGroupWriter;

enum class EvictBy { kDelete, kEvictionApi };

struct Evict {
  PodIdentity pod;
  std::string action, contender, contender_ns, message;
};
Evict evict_of(const Cluster& cluster, const EvictDecision& decision);

class Evictor {
 public:
  // `marks_pods`: condition DisruptionTarget before an eviction.
  Evictor(const WriteParts& parts, PodGroupWriter& groups, EvictBy evict_by, bool marks_pods)
      : p_(parts), groups_(groups), evict_by_(evict_by), marks_pods_(marks_pods) {}

  kube::Async<void> carry_out(Evict evict);
  const ProtectedJobs& protected_jobs() const { return protected_jobs_; }
  // What budgets refused since the last call counts from now on. Not while a cycle runs.
  void note_protected_jobs();
  int open_writes() const { return open_writes_; }

 private:
  kube::ApiRequest request_for(const PodIdentity& pod) const;
  bool is_refused_by_budget(const kube::HttpResponse& answer) const;
  kube::Async<void> mark_disruption(const Evict& evict);
  void record(const Evict& evict);
  void record_failure(const Evict& evict, const kube::HttpResponse& answer);

  const WriteParts p_;
  PodGroupWriter& groups_;
  const EvictBy evict_by_;
  const bool marks_pods_;
  ProtectedJobs protected_jobs_;
  std::vector<std::pair<std::string, TimePoint>> newly_protected_;
  int open_writes_ = 0;
};

}  // namespace muster::serve
