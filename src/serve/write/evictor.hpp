// Carries out evictions by writing to the API server. Evictions for the same purpose, such as for one
// preemptor, begin together or not at all. Each is then retried until its outcome is final.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/object_parts.hpp"
#include "plugins/protected_jobs.hpp"
#include "serve/write/requests.hpp"

namespace muster {
struct EvictDecision;
}

namespace muster::serve {

class PodGroupWriter;

enum class EvictBy { kDelete, kEvictionApi };

struct Evict {
  PodIdentity pod;
  Labels labels;
  std::string action, preemptor, preemptor_ns, message;
  std::string nominators;   // of a requeue: the nominators of its victims
  bool has_record = false;  // an eviction record is being written to its PodGroup
  std::string job() const { return pod.ns + "/" + pod.job; }
};
Evict evict_of(const Cluster& cluster, const EvictDecision& decision);

class Evictor {
 public:
  // `marks_pods`: set the condition DisruptionTarget before an eviction.
  Evictor(const WriteServices& parts, PodGroupWriter& groups, EvictBy evict_by, bool marks_pods)
      : p_(parts), groups_(groups), evict_by_(evict_by), marks_pods_(marks_pods) {}

  // Carries out the evictions of one cycle.
  void carry_out(std::vector<Evict> evictions);
  const plugins::ProtectedJobs& protected_jobs() const { return protected_jobs_; }
  // Protects the jobs whose eviction was refused since the last call; returns true if the protected jobs have
  // changed. REQUIRES: no cycle is running.
  bool note_protected_jobs();
  int open_writes() const { return open_writes_; }

 private:
  using Victims = std::vector<Evict>;

  kube::Async<void> carry_out_together(Victims victims);
  kube::Async<void> try_together(const Victims* victims);
  kube::Async<bool> write_cooldowns(const Victims* victims);
  kube::Async<void> write_receipts(const Victims* victims);
  kube::Async<bool> budgets_allow(const Victims* victims);
  kube::Async<bool> counts_allow(const Victims* victims);
  kube::Async<void> dry_run(const Evict* evict, bool* is_allowed);
  kube::Async<void> carry_out_one(const Evict* evict, bool is_of_several);
  kube::ApiRequest request_for(const PodIdentity& pod) const;
  kube::Async<void> mark_disruption(const Evict* evict);
  void protect(const Evict& evict, std::string_view rule);
  void protect_by_budget(const Evict& evict);
  void record(const Evict& evict);
  void record_failure(const Evict& evict, const kube::HttpResponse& answer);

  const WriteServices p_;
  PodGroupWriter& groups_;
  const EvictBy evict_by_;
  const bool marks_pods_;
  plugins::ProtectedJobs protected_jobs_;
  std::map<std::string, plugins::ProtectedJobs::Protection> newly_protected_;  // "ns/name"
  int open_writes_ = 0;
};

}  // namespace muster::serve
