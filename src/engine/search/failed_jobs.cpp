// Keeps only the smallest of similar failed jobs: they represent all others.
#include "engine/search/failed_jobs.hpp"

#include <algorithm>

#include "engine/cycle/selector_results.hpp"
#include "engine/search/signatures.hpp"

namespace muster {
namespace {

// Remembers at most this many requests that cannot be compared with each other. Jobs with other requests are
// searched for.
constexpr std::size_t kMostAsks = 16;

bool no_larger(const std::array<std::int64_t, 4>& a, const std::array<std::int64_t, 4>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

}  // namespace

JobId FailedJobs::covering(QueueId pool, JobId job) const {
  if (!failed_.empty()) return covering_ask(pool, job);
  return smallest_.empty() ? JobId() : covering_by_signature({pool, session_.signatures().of(job)}, job);
}

// A job whose device selectors are still to be evaluated may fail where a similar one does not.
void FailedJobs::add(QueueId pool, JobId job) {
  if (!session_.settings.use_signatures || session_.selector_results().are_unfinished()) return;
  if (session_.settings.compatibility.compare_failed_fully)
    add_ask(pool, job);
  else
    add_by_signature({pool, session_.signatures().of(job)}, job);
}

// ---------------------------------------------------------------- complete comparison

JobId FailedJobs::covering_ask(QueueId pool, JobId job) const {
  DemandIndex& asks = session_.demand_index();
  const DemandSignature& mine = asks.of(job);
  const auto alike = failed_.find({pool, mine.like});
  if (alike == failed_.end()) return {};
  for (const Failed& failed : alike->second)
    if (asks.is_no_less(mine, failed.ask)) return failed.job;
  return {};
}

// If jobs were evicted for a failed job without success, it may not evict them again, but another job may.
// Its failure therefore proves nothing about other jobs.
void FailedJobs::add_ask(QueueId pool, JobId id) {
  const Job& job = session_.cluster.job(id);
  const bool is_own_candidate = like_victims_ == LikeVictims::kYes && job.counts.active_allocated() > 0;
  if (is_own_candidate || !job.displaced_for_it.empty()) return;
  DemandIndex& asks = session_.demand_index();
  const DemandSignature& mine = asks.of(id);
  auto& alike = failed_[{pool, mine.like}];
  std::erase_if(alike, [&](const Failed& failed) { return asks.is_no_less(failed.ask, mine); });
  if (alike.size() < kMostAsks) alike.push_back({id, mine});
}

// ---------------------------------------------------------------- KAI's comparison

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

JobId FailedJobs::covering_by_signature(const Key& key, JobId job) const {
  const auto found = smallest_.find(key);
  if (found == smallest_.end()) return {};
  const auto mine = pending_requests(job);
  const auto& [other, theirs] = found->second;
  if (mine.empty() || theirs.empty()) return other;
  if (mine.size() < theirs.size()) return {};
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (no_larger(mine[i], theirs[i]) && mine[i] != theirs[i]) return {};
  return other;
}

void FailedJobs::add_by_signature(const Key& key, JobId job) {
  auto mine = pending_requests(job);
  const auto [at, is_new] = smallest_.try_emplace(key);
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
