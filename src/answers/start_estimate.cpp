#include "answers/start_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "sim/timed_cluster.hpp"

namespace muster::answers {
namespace {

constexpr auto kPeriod = std::chrono::seconds(1);  // between two cycles, as live

using Starts = IdVector<JobId, std::optional<TimePoint>>;

// One future, from instant to instant at which something happens.
class Play {
 public:
  Play(const State& state, const Outcome& unchanged, JobId wanted, Agenda agenda)
      : policy_(state.policy),
        cluster_(unchanged.cluster),
        world_(cluster_, std::move(agenda), {.from = state.now}),
        now_(state.now),
        wanted_(wanted),
        starts_(cluster_.jobs().size()) {
    for (JobId j : ids(cluster_.jobs())) {
      const bool waits = state.cluster.job(j).present && !is_at_minimum(state.cluster, j);
      if (!waits) continue;
      if (is_at_minimum(cluster_, j))
        starts_[j] = now_;
      else
        waiting_.push_back(j);
    }
  }

  // False: `goes_on` ended it before its time.
  template <class GoesOn>
  bool run(GoesOn goes_on) {
    while (!is_done()) {
      if (!goes_on()) return false;
      world_.advance(now_);
      if (is_cycle_due()) decide();
      note_starts();
      const auto next = next_instant();
      if (!next || *next > kLastTime) break;
      now_ = *next;
    }
    return true;
  }

  Starts take_starts() { return std::move(starts_); }

 private:
  bool is_done() const { return wanted_.valid() ? starts_[wanted_].has_value() : waiting_.empty(); }

  std::optional<TimePoint> next_cycle() const {
    const auto not_before = [&](TimePoint wanted) {
      return last_cycle_ ? std::max(wanted, *last_cycle_ + kPeriod) : wanted;
    };
    if (world_.has_news() || is_unfinished_) return not_before(now_);
    return moment_ ? std::optional(not_before(*moment_)) : std::nullopt;
  }
  bool is_cycle_due() const {
    const auto at = next_cycle();
    return at && *at <= now_;
  }
  std::optional<TimePoint> next_instant() const {
    const auto event = world_.next(), cycle = next_cycle();
    if (!event || !cycle) return event ? event : cycle;
    return std::min(*event, *cycle);
  }

  void decide() {
    const Decisions decided = run_cycle(cluster_, policy_, now_, {&memory_, nullptr});
    world_.carry_out(decided, now_);
    last_cycle_ = now_;
    moment_ = decided.next_moment;
    const bool tried_only_some = !policy_.settings.queue_depth.empty() && !decided.binds.empty();
    is_unfinished_ = decided.is_unfinished || tried_only_some;
  }

  void note_starts() {
    std::erase_if(waiting_, [&](JobId j) {
      const bool stands = is_at_minimum(cluster_, j);
      if (stands) starts_[j] = now_;
      return stands || !cluster_.job(j).present;
    });
  }

  const Policy& policy_;
  Cluster cluster_;
  TimedCluster world_;
  SearchMemory memory_;
  TimePoint now_;
  const JobId wanted_;
  Starts starts_;
  std::vector<JobId> waiting_;
  std::optional<TimePoint> last_cycle_, moment_;
  bool is_unfinished_ = false;
};

// What so large a share of the futures has come to by then; those that are missing never do.
std::optional<TimePoint> at_share(const std::vector<TimePoint>& sorted, int futures, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * futures));
  return rank == 0 || rank > sorted.size() ? std::nullopt : std::optional(sorted[rank - 1]);
}

}  // namespace

Futures::Futures(const State& state, const Outcome& unchanged, JobId wanted, const FutureLimits& limits)
    : lengths_(state, unchanged.cluster) {
  const Duration begin = limits.stopwatch.elapsed();
  const auto goes_on = [&] { return limits.stopwatch.elapsed() - begin < limits.time; };
  const int futures = lengths_.is_random() ? limits.futures : 1;
  for (int i = 0; i < futures && !unfinished_; ++i) {
    Play play(state, unchanged, wanted, lengths_.draw(static_cast<std::uint64_t>(i) + 1));
    const bool is_whole = play.run(goes_on);
    (is_whole ? played_.emplace_back() : unfinished_.emplace()) = play.take_starts();
  }
  if (!wanted.valid() || unfinished_ || lengths_.basis(wanted).unknown == 0 || of(wanted).p50) return;
  rests_on_unknown_ = would_start(state, unchanged, wanted, limits);
}

bool Futures::would_start(const State& state, const Outcome& unchanged, JobId job,
                          const FutureLimits& limits) const {
  constexpr auto kSomeTime = std::chrono::hours(1);
  const Duration begin = limits.stopwatch.elapsed();
  Play play(state, unchanged, job, lengths_.draw(1, kSomeTime));
  play.run([&] { return limits.stopwatch.elapsed() - begin < limits.time; });
  return play.take_starts()[job].has_value();
}

StartEstimate Futures::of(JobId job) const {
  std::vector<TimePoint> starts;
  int futures = 0;
  const auto count = [&](const Starts& future) {
    ++futures;
    if (future[job]) starts.push_back(*future[job]);
  };
  for (const Starts& future : played_) count(future);
  if (played_.empty() && unfinished_ && (*unfinished_)[job]) count(*unfinished_);
  std::ranges::sort(starts);
  StartEstimate estimate{.p50 = at_share(starts, futures, 0.5),
                         .p90 = at_share(starts, futures, 0.9),
                         .basis = lengths_.basis(job),
                         .futures = futures,
                         .is_cut = unfinished_.has_value(),
                         .rests_on_unknown = rests_on_unknown_};
  if (futures > 0) estimate.never = static_cast<double>(futures - std::ssize(starts)) / futures;
  return estimate;
}

}  // namespace muster::answers
