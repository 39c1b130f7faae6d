// Checks limits, GPU sums and shares, each over all candidates at once.
#include "engine/search/proofs.hpp"

#include <algorithm>

namespace muster {
namespace {

// Returns the limit that no eviction can help with: that of a queue without candidates below it, or the quota
// for non-preemptible jobs, because only preemptible jobs are evicted.
std::optional<JobReason> capacity_in_the_way(Session& s, JobId preemptor, const Candidates& candidates) {
  if (!s.hooks.job_over_capacity) return std::nullopt;
  auto reason = s.hooks.job_over_capacity(preemptor, s.chunk(preemptor).tasks);
  if (!reason || reason->rule == JobRule::kOverQuota) return reason;
  const bool some_below = std::any_of(candidates.leaves.begin(), candidates.leaves.end(), [&](QueueId leaf) {
    return is_at_or_below(s.cluster, leaf, reason->queue);
  });
  return some_below ? std::nullopt : reason;
}

std::optional<JobReason> shares_in_the_way(Session& s, Solver& solver, JobId preemptor,
                                           const Candidates& candidates) {
  const auto free = solver.room().exact_total();
  if (!free || s.hooks.reclaim_shortage.empty()) return std::nullopt;
  const Demand& wanted = s.chunk(preemptor).wanted;
  const std::int64_t missing = wanted.charge.units[index(Accounted::kGpus)] - *free;
  if (missing <= 0) return std::nullopt;
  absl::InlinedVector<Shortage::Source, 16> sources;
  for (QueueId leaf : candidates.leaves) sources.push_back({leaf, solver.pool().largest(leaf)});
  return s.hooks.reclaim_shortage(
      {.preemptor = preemptor, .wanted = wanted, .gpus = missing, .sources = sources});
}

}  // namespace

std::optional<JobReason> Proofs::why_impossible(Solver& solver, JobId preemptor,
                                                const Candidates& candidates) {
  const Chunk& chunk = session_.chunk(preemptor);
  if (chunk.tasks.empty()) return std::nullopt;
  if (auto reason = session_.hooks.hopeless_together(preemptor, chunk.tasks)) return reason;
  if (auto reason = capacity_in_the_way(session_, preemptor, candidates)) return reason;
  if (auto reason = too_little_to_free(solver, preemptor, candidates)) return reason;
  if (candidates.bounded == Bounded::kNot) return std::nullopt;
  return shares_in_the_way(session_, solver, preemptor, candidates);
}

// All candidates together do not free enough.
std::optional<JobReason> Proofs::too_little_to_free(Solver& solver, JobId preemptor,
                                                    const Candidates& candidates) {
  const RoomTest& room = with_all_gone_;
  with_all_gone_.start(session_.cluster, solver.room(), session_.chunk(preemptor).tasks);
  free_others(solver, preemptor, candidates);
  if (room.reach() >= room.demand()) return std::nullopt;
  const auto gpus = [](std::int64_t units) {
    return static_cast<double>(units) / static_cast<double>(kOneGpu);
  };
  return JobReason{
      .rule = JobRule::kTooLittleToFree, .wanted = gpus(room.demand()), .bound = gpus(room.reach())};
}

// Stops as soon as they free enough.
void Proofs::free_others(Solver& solver, JobId preemptor, const Candidates& candidates) {
  const auto is_enough = [&] { return with_all_gone_.reach() >= with_all_gone_.demand(); };
  if (const Partition* partition = known(solver.pool(), preemptor, candidates)) {
    for (JobId job : partition->others) {
      if (is_enough()) return;
      free_all(job);
    }
    return;
  }
  const VictimPool& pool = solver.pool();
  Partition partition(pool.version());
  for (QueueId leaf : candidates.leaves)
    for (const JobEntry& e : pool.all_of(leaf)) {
      if (is_enough()) return;
      ++session_.stats.steps;
      const auto why = candidates.eviction_refusal(e.job);
      partition.add(e.job, why, pool.held(e.job));
      if (!why) free_all(e.job);
    }
  if (const auto key = reuse_key(preemptor, candidates)) {
    partition.sort();
    by_reuse_key_[*key] = std::move(partition);
  }
}

// Frees the job's GPUs in the room test.
void Proofs::free_all(JobId job) {
  const Cluster& c = session_.cluster;
  session_.stats.steps += c.job(job).counts.active_allocated();
  for (const PodSet& p : c.job(job).pod_sets)
    for (TaskId t : p.tasks)
      if (const Placement& at = c.placement(t); at.node.valid() && in(at.status, kActiveAllocated))
        with_all_gone_.free(at.node, freed_gpus(c, t));
}

// ---------------------------------------------------------------- jobs that may not be evicted

std::optional<Proofs::ReuseKey> Proofs::reuse_key(JobId preemptor, const Candidates& candidates) const {
  if (!candidates.reuse_key || candidates.leaves.size() != 1 || !candidates.spared.empty() ||
      session_.cluster.job(preemptor).counts.active_allocated() > 0)
    return std::nullopt;
  return ReuseKey{candidates.leaves.front(), *candidates.reuse_key};
}

const Proofs::Partition* Proofs::known(const VictimPool& pool, JobId preemptor,
                                       const Candidates& candidates) const {
  const auto key = reuse_key(preemptor, candidates);
  const auto found = key ? by_reuse_key_.find(*key) : by_reuse_key_.end();
  return found != by_reuse_key_.end() && found->second.as_of == pool.version() ? &found->second : nullptr;
}

const Proofs::Partition& Proofs::partition(const VictimPool& pool, JobId preemptor,
                                           const Candidates& candidates) {
  if (const Partition* partition = known(pool, preemptor, candidates)) return *partition;
  const auto key = reuse_key(preemptor, candidates);
  Partition& partition = key ? by_reuse_key_[*key] : of_one_;
  partition = Partition(pool.version());
  for (const auto& [leaf, why] : candidates.spared)
    for (const JobEntry& e : pool.all_of(leaf)) partition.add(e.job, why, pool.held(e.job));
  for (QueueId leaf : candidates.leaves)
    for (const JobEntry& e : pool.all_of(leaf)) {
      ++session_.stats.steps;
      partition.add(e.job, candidates.eviction_refusal(e.job), pool.held(e.job));
    }
  partition.sort();
  return partition;
}

// Caches the last rule, because consecutive jobs often share it.
void Proofs::Partition::add(JobId job, const std::optional<VictimRefusal>& why, const Charge& held) {
  if (!why) return others.push_back(job);
  if (why->rule == kItself) return;
  if (why->rule.data() != last_rule_.data() || why->rule.size() != last_rule_.size()) {
    const auto is_of_rule = [&](const NotEvictableJobs& s) { return s.rule == why->rule; };
    last_rule_ = why->rule;
    last_ = static_cast<std::size_t>(std::ranges::find_if(spared, is_of_rule) - spared.begin());
    if (last_ == spared.size()) spared.push_back({.rule = std::string(why->rule)});
  }
  NotEvictableJobs& of_rule = spared[last_];
  ++of_rule.jobs;
  of_rule.held += held;
  if (why->until && (!of_rule.until || *why->until < *of_rule.until))
    of_rule.until = why->until, of_rule.first = job;
}

void Proofs::Partition::sort() {
  constexpr auto kGpus = index(Accounted::kGpus);
  std::sort(spared.begin(), spared.end(), [&](const NotEvictableJobs& a, const NotEvictableJobs& b) {
    const std::int64_t x = a.held.units[kGpus], y = b.held.units[kGpus];
    return x != y ? x > y : a.rule < b.rule;
  });
}

}  // namespace muster
