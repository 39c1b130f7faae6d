// Passes each decision to its writer and skips writes that would be useless.
#include "serve/write/live_sink.hpp"

#include <set>

#include "answers/api_forms.hpp"
#include "answers/eviction_record.hpp"
#include "grouper/grouper.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/write/binder.hpp"
#include "serve/write/evictor.hpp"
#include "serve/write/pod_group_writer.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

// The pod grouper creates such a PodGroup for a single pod; it is deleted with the pod.
bool is_of_one_pod(const Cluster& cluster, const Job& job) {
  if (job.pod_sets.size() != 1 || job.pod_sets[0].tasks.size() != 1) return false;
  const Task& task = cluster.task(job.pod_sets[0].tasks[0]);
  return job.name == grouper::group_name(task.name, task.uid);
}

// The time of the last eviction is useless on a PodGroup that is deleted with its evicted pod.
bool is_in_vain(const Cluster& cluster, const PatchDecision& patch) {
  return patch.annotations.size() == 1 && patch.annotations.contains(keys::kLastEviction) &&
         is_of_one_pod(cluster, cluster.job(patch.job));
}

// Returns "" if the eviction is not part of a requeue.
std::string nominators_of(const Decisions& decisions, const EvictDecision& eviction) {
  if (!decisions.requeue || eviction.action != "requeue") return "";
  for (const RequeueAttempt& attempt : decisions.requeue->attempts)
    if (attempt.preemptor == eviction.preemptor && attempt.found_room) return attempt.nominators;
  return "";
}

}  // namespace

void LiveSink::assume(Cluster& cluster, const Decisions& decisions, TimePoint now) {
  for (const BindDecision& bind : decisions.binds)
    assumptions_.bind(cluster, bind.task, bind.node, bind.holding);
  for (const EvictDecision& eviction : decisions.evictions)
    assumptions_.evict(cluster, eviction.task, eviction.preemptor, now);
  for (const PatchDecision& patch : decisions.patches)
    if (!is_in_vain(cluster, patch))
      assumptions_.annotate(cluster.job(patch.job).ns, cluster.job(patch.job).name, patch.annotations);
}

void LiveSink::carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now) {
  std::set<JobId> with_receipt;
  for (const PatchDecision& patch : decisions.patches) {
    if (is_in_vain(cluster, patch)) continue;
    const Job& job = cluster.job(patch.job);
    AnnotationChanges changes = patch.annotations;
    changes.emplace(answers::kPreemptibility, answers::preemptibility_text(job));
    if (changes.contains(keys::kLastStart)) changes.emplace(keys::kQueue, cluster.queue(job.queue).name);
    if (patch.annotations.contains(keys::kLastEviction))
      if (const auto receipt = answers::eviction_record_in(cluster, decisions, patch.job, now)) {
        changes.emplace(keys::kEvictionReceipt, answers::to_annotation(*receipt));
        with_receipt.insert(patch.job);
      }
    writers_.groups.annotate(job.ns, job.name, changes);
  }
  std::vector<Evict> evictions;
  for (const EvictDecision& eviction : decisions.evictions) {
    evictions.push_back(evict_of(cluster, eviction));
    evictions.back().nominators = nominators_of(decisions, eviction);
    evictions.back().has_record = with_receipt.contains(cluster.task(eviction.task).job);
  }
  writers_.evictor.carry_out(std::move(evictions));
  std::vector<Bind> binds;
  for (const BindDecision& decision : decisions.binds)
    binds.push_back(bind_of(cluster, decision, assumptions_));
  writers_.binder.carry_out(std::move(binds));
}

int LiveSink::open_writes() const {
  return writers_.binder.open_writes() + writers_.evictor.open_writes() + writers_.groups.open_writes();
}

}  // namespace muster::serve
