// Selects the nominated jobs that preempt or reclaim could evict and that no other job of lower priority
// shields.
#include "actions/requeue/victims.hpp"

#include <algorithm>

#include "engine/search/eviction_planner.hpp"

namespace muster::actions {
namespace {

constexpr std::string_view kNotOutranked = "not outranked";

std::vector<JobId> not_nominated(const Cluster& cluster, const RequeueRecord& record) {
  absl::flat_hash_set<JobId> nominated;
  for (const Nomination& n : record.nominated) nominated.insert(n.job);
  std::vector<JobId> jobs;
  for (JobId j : ids(cluster.jobs()))
    if (!nominated.contains(j)) jobs.push_back(j);
  return jobs;
}

// Highest priority first, then by original creation time.
bool is_senior(const Job& x, const Job& y) {
  if (x.priority != y.priority) return x.priority > y.priority;
  return age(x) < age(y);
}

}  // namespace

std::unique_ptr<VictimPool> nominated_pool(Session& s, const RequeueRecord& record) {
  std::vector<JobId> jobs;
  absl::flat_hash_map<JobId, Duration> overruns;
  for (const Nomination& n : record.nominated) jobs.push_back(n.job), overruns[n.job] = n.overrun;
  auto before = [&s, overruns = std::move(overruns)](const JobEntry& a, const JobEntry& b) {
    const Job &x = s.cluster.job(a.job), &y = s.cluster.job(b.job);
    const Duration over_x = overruns.at(a.job), over_y = overruns.at(b.job);
    return x.priority != y.priority || over_x == over_y ? is_senior(x, y) : over_x < over_y;
  };
  return std::make_unique<VictimPool>(s, jobs, std::move(before));
}

RequeueVictims::RequeueVictims(Session& session, VictimPool& nominated, RequeueRecord& record,
                               RequeueContenders preemptors)
    : s_(session),
      nominated_(nominated),
      others_(session, not_nominated(session.cluster, record),
              [&session](const JobEntry& a, const JobEntry& b) {
                return is_senior(session.cluster.job(a.job), session.cluster.job(b.job));
              }),
      record_(record),
      preemptors_(preemptors) {
  for (std::size_t i = 0; i < record.nominated.size(); ++i) {
    nominations_[record.nominated[i].job] = i;
    all_names_.insert(record.nominated[i].by.begin(), record.nominated[i].by.end());
  }
}

// Applies the gates of preempt and reclaim.
std::optional<VictimRefusal> RequeueVictims::queue_filter(JobId preemptor, QueueId leaf,
                                                          bool may_reclaim) const {
  if (leaf == s_.cluster.job(preemptor).queue) {
    if (outranks_none(preemptor, leaf)) return VictimRefusal{.rule = kNotOutranked};
    const bool over_quota =
        s_.hooks.job_over_quota && s_.hooks.job_over_quota(preemptor, s_.chunk(preemptor).tasks);
    return over_quota ? std::optional(VictimRefusal{.rule = "the pending job would exceed its queue's quota"})
                      : std::nullopt;
  }
  if (!may_reclaim) return VictimRefusal{.rule = "the pending job may not reclaim"};
  return s_.hooks.reclaim_from_queue(preemptor, leaf);
}

// Compares priorities only; jobs of equal priority are compared one by one.
bool RequeueVictims::outranks_none(JobId preemptor, QueueId leaf) const {
  const std::int32_t mine = s_.cluster.job(preemptor).priority;
  const std::int32_t lowest = s_.cluster.job(nominated_.of(leaf).front().job).priority;
  return preemptors_ == RequeueContenders::kSchedulingOrder ? lowest > mine : lowest >= mine;
}

bool RequeueVictims::outranks(JobId preemptor, JobId victim) const {
  const std::int32_t mine = s_.cluster.job(preemptor).priority, theirs = s_.cluster.job(victim).priority;
  if (theirs != mine) return theirs < mine;
  if (preemptors_ != RequeueContenders::kSchedulingOrder || !nominations_.contains(victim)) return false;
  JobEntry evicted = s_.entry(victim, ElasticState::kBelow);
  evicted.joins_now = true;
  return s_.job_before(s_.entry(preemptor), evicted);
}

std::optional<VictimRefusal> RequeueVictims::filter(JobId preemptor, JobId victim) const {
  if (victim == preemptor) return VictimRefusal{.rule = kItself};
  if (s_.cluster.job(victim).queue != s_.cluster.job(preemptor).queue) {
    auto why = was_displaced_before(s_, victim, preemptor);
    return why ? why : s_.hooks.reclaim_victim(preemptor, victim);
  }
  if (!outranks(preemptor, victim)) return VictimRefusal{.rule = kNotOutranked};
  return s_.hooks.preempt_victim(preemptor, victim);
}

// The lowest priority among the jobs of the leaf that are not nominated but that the preemptor could evict;
// such a job must be evicted before an overdue job of higher priority. Returns nothing if no such job
// matters.
std::optional<std::int32_t> RequeueVictims::shield(JobId preemptor, QueueId leaf) {
  const std::int32_t highest = s_.cluster.job(nominated_.of(leaf).back().job).priority;
  for (const JobEntry& e : others_.of(leaf)) {  // lowest priority first, as above
    const Job& job = s_.cluster.job(e.job);
    if (job.priority >= highest) return std::nullopt;
    if (can_lose_tasks(job) && !filter(preemptor, e.job)) return job.priority;
  }
  return std::nullopt;
}

Candidates RequeueVictims::of(JobId preemptor) {
  Candidates found;
  absl::flat_hash_map<QueueId, std::int32_t> shields;
  const bool may_reclaim = s_.hooks.may_reclaim && s_.hooks.may_reclaim(preemptor);
  for (QueueId leaf : nominated_.leaves()) {
    if (nominated_.of(leaf).empty()) continue;
    if (const auto why = queue_filter(preemptor, leaf, may_reclaim)) {
      found.spared.push_back({leaf, *why});
      continue;
    }
    found.leaves.push_back(leaf);
    if (const auto lowest = shield(preemptor, leaf)) shields[leaf] = *lowest;
  }
  found.eviction_refusal = [this, preemptor,
                            shields = std::move(shields)](JobId victim) -> std::optional<VictimRefusal> {
    const Job& job = s_.cluster.job(victim);
    if (const auto shielded = shields.find(job.queue);
        shielded != shields.end() && job.priority > shielded->second)
      return VictimRefusal{.rule = "a job of lower priority must be evicted first"};
    auto why = filter(preemptor, victim);
    if (why && why->until) count_protected(victim);
    return why;
  };
  return found;
}

// Counts each job once per cycle.
void RequeueVictims::count_protected(JobId victim) {
  if (counted_.insert(victim).second)
    record_.passed_over.push_back(
        {victim, record_.nominated[nominations_.at(victim)].all_names(), "minruntime_protected"});
}

std::string RequeueVictims::nominators(const Candidates& candidates) {
  std::vector<std::string> names;
  for (QueueId leaf : candidates.leaves)
    for (const JobEntry& e : nominated_.of(leaf)) {
      if (names.size() == all_names_.size()) break;
      if (candidates.eviction_refusal(e.job)) continue;
      for (const std::string& name : record_.nominated[nominations_.at(e.job)].by)
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return Nomination{.by = std::move(names)}.all_names();
}

}  // namespace muster::actions
