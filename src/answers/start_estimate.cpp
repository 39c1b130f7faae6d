#include "answers/start_estimate.hpp"

#include <algorithm>

#include "engine/search/requeue_settings.hpp"

namespace muster::answers {
namespace {

constexpr int kMostEnds = 2000;

// When the job ends, if it says how long it runs; what is overdue ends right away.
std::optional<TimePoint> expected_end(const Cluster& cluster, JobId id, TimePoint now) {
  const Job& job = cluster.job(id);
  if (!job.last_start) return std::nullopt;
  const auto text = expected_runtime(cluster, id);
  const auto length = text ? parse_duration(*text) : std::nullopt;
  if (!length || *length <= Duration::zero()) return std::nullopt;
  return std::max(*job.last_start + *length, now);
}

bool runs(const Job& job) { return job.present && job.counts.in(kAllocatedSet) > 0; }

class Play {
 public:
  Play(const State& state, const Outcome& unchanged, JobId wanted)
      : policy_(state.policy), cluster_(unchanged.cluster), now_(state.now), wanted_(wanted) {
    for (JobId j : ids(state.cluster.jobs())) stood_.push_back(is_at_minimum(state.cluster, j));
    future_.starts.resize(cluster_.jobs().size());
    for (JobId j : ids(cluster_.jobs()))
      if (runs(cluster_.job(j)) && j != wanted)
        ++(expected_end(cluster_, j, now_) ? future_.basis.expected : future_.basis.unknown);
    note_starts();
  }

  Future run(Duration time, const Stopwatch& stopwatch) {
    const Duration begin = stopwatch.elapsed();
    for (int ends = 0; !is_done(); ++ends) {
      const auto next = next_end();
      if (!next || *next > kLastTime) break;
      future_.is_cut = ends == kMostEnds || stopwatch.elapsed() - begin > time;
      if (future_.is_cut) break;
      now_ = *next;
      end_jobs();
      settle(cluster_, policy_, now_);
      note_starts();
    }
    return std::move(future_);
  }

 private:
  bool is_done() const { return wanted_.valid() && is_at_minimum(cluster_, wanted_); }

  void note_starts() {
    for (JobId j : ids(stood_))
      if (!stood_[j] && is_at_minimum(cluster_, j)) stood_[j] = true, future_.starts[j] = now_;
  }

  std::optional<TimePoint> next_end() const {
    std::optional<TimePoint> next;
    for (JobId j : ids(cluster_.jobs()))
      if (runs(cluster_.job(j)))
        if (const auto end = expected_end(cluster_, j, now_); end && (!next || *end < *next)) next = end;
    return next;
  }

  void end_jobs() {
    for (JobId j : ids(cluster_.jobs())) {
      if (!runs(cluster_.job(j))) continue;
      const auto end = expected_end(cluster_, j, now_);
      if (!end || *end > now_) continue;
      for (TaskId t : cluster_.job_table().members(j)) {
        cluster_.release_claims(t);
        cluster_.observe(t, {.phase = PodPhase::kSucceeded});
      }
    }
  }

  const Policy& policy_;
  Cluster cluster_;
  TimePoint now_;
  const JobId wanted_;
  IdVector<JobId, bool> stood_;
  Future future_;
};

}  // namespace

Future play_future(const State& state, const Outcome& unchanged, JobId wanted, Duration time,
                   const Stopwatch& stopwatch) {
  return Play(state, unchanged, wanted).run(time, stopwatch);
}

StartEstimate estimate_start(const State& state, const Outcome& unchanged, JobId job, Duration time,
                             const Stopwatch& stopwatch) {
  const Future future = play_future(state, unchanged, job, time, stopwatch);
  const std::optional<TimePoint> start = future.starts[job];
  return {
      .p50 = start, .p90 = start, .never = start ? 0.0 : 1.0, .basis = future.basis, .is_cut = future.is_cut};
}

}  // namespace muster::answers
