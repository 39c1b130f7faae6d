// Compares the jobs that run now with those that ran at the last check.
#include "serve/web/run_times.hpp"

#include "answers/state.hpp"
#include "model/users.hpp"

namespace muster::serve {
namespace {

constexpr auto kRunCheckInterval = std::chrono::seconds(1);

}  // namespace

bool RunTimes::look(const Cluster& cluster, TimePoint now) {
  if (looked_ && now - *looked_ < kRunCheckInterval && now >= *looked_) return false;
  looked_ = now;
  const bool has_ended = note_ended(cluster, now);
  note_running(cluster);
  return has_ended;
}

void RunTimes::note_running(const Cluster& cluster) {
  for (JobId j : ids(cluster.jobs())) {
    const Job& job = cluster.job(j);
    if (!job.last_start || !answers::is_at_minimum(cluster, j)) continue;
    const auto [run, is_new] = running_.try_emplace(j);
    if (is_new) run->second = {job.uid, job.queue_name, std::string(user_of(cluster, j)), *job.last_start};
    run->second.since = *job.last_start;
  }
}

// An evicted job does not count as ended: it will run again.
bool RunTimes::note_ended(const Cluster& cluster, TimePoint now) {
  bool has_ended = false;
  absl::erase_if(running_, [&](const auto& entry) {
    const auto& [id, run] = entry;
    const bool is_there =
        id.index() < cluster.jobs().size() && cluster.job(id).present && cluster.job(id).uid == run.uid;
    if (is_there && cluster.job(id).counts.in(kActiveUsed) > 0) return false;
    const bool was_evicted =
        is_there && cluster.job(id).last_eviction && *cluster.job(id).last_eviction >= run.since;
    const bool waits_again = is_there && cluster.job(id).has_pending();
    if (!was_evicted && !waits_again && now > run.since) {
      history_.add(run.queue, run.user, now - run.since);
      has_ended = true;
    }
    return true;
  });
  return has_ended;
}

}  // namespace muster::serve
