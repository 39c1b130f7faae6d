// Simulates futures on several threads, each with its own random draws, and takes percentiles of the sorted
// start times.
#include "answers/start_estimate.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "answers/deferred_jobs.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/selector_results.hpp"
#include "engine/search/search_memory.hpp"
#include "sim/timed_cluster.hpp"

namespace muster::answers {
namespace {

constexpr auto kPeriod = std::chrono::seconds(1);  // between two cycles, as in a live cluster
// In a busy cluster, not every end of a job causes a cycle. A cycle runs once 1/kPartThatEnds of all running
// jobs have ended, or 1/kPartOfTime of the simulated time has passed since the last cycle. On average, less
// than half of the resources of these jobs idle meanwhile.
constexpr std::size_t kPartThatEnds = 50, kPartOfTime = 8;
// In a busy cluster, evictions are considered less often than free resources.
constexpr std::size_t kPartOfTimeForRoom = 4;

using Starts = IdVector<JobId, std::optional<TimePoint>>;

// The data that all futures of a state share.
struct CommonGround {
  const State& state;
  const Outcome& unchanged;
  std::vector<Alike> lines;
  Policy allocates;  // the policy with no action but allocate
};

Policy allocation_of(const Policy& policy) {
  Policy only = policy;
  std::erase_if(only.actions, [](const auto& action) { return action->name() != "allocate"; });
  return only.actions.empty() ? policy : only;
}

// One simulated future, advancing from event to event.
class Future {
 public:
  // Modifies the cluster while simulating.
  Future(const CommonGround& common, JobId target, Agenda agenda, Cluster& cluster)
      : policy_(common.state.policy),
        allocates_(common.allocates),
        cluster_(cluster = common.unchanged.cluster),
        world_(cluster_, std::move(agenda), {.from = common.state.now}),
        line_(common.lines),
        from_(common.state.now),
        now_(from_),
        target_(target),
        starts_(cluster_.jobs().size()),
        waits_(cluster_.jobs().size()) {
    const State& state = common.state;
    for (JobId j : ids(cluster_.jobs())) {
      running_ += cluster_.job(j).counts.in(kAllocatedSet) > 0;
      const bool waits = state.cluster.job(j).present && !is_at_minimum(state.cluster, j);
      if (!waits) continue;
      if (is_at_minimum(cluster_, j))
        starts_[j] = now_;
      else
        waits_[j] = true, ++waiting_;
    }
  }

  // Returns false if `goes_on` stopped the simulation early.
  template <class GoesOn>
  bool run(GoesOn goes_on) {
    while (!is_done()) {
      if (!goes_on()) return false;
      world_.advance(now_);
      if (world_.has_news() && !news_since_) news_since_ = now_;
      if (is_cycle_due()) decide();
      const auto next = next_event_time();
      if (!next || *next > kLastTime) break;
      now_ = *next;
    }
    return true;
  }

  Starts take_starts() { return std::move(starts_); }

 private:
  bool is_done() const { return target_.valid() ? starts_[target_].has_value() : waiting_ == 0; }

  std::optional<TimePoint> next_cycle() const {
    const auto not_before = [&](TimePoint time, Duration after_last = kPeriod) {
      return last_cycle_ ? std::max(time, *last_cycle_ + after_last) : time;
    };
    if (is_unfinished_ || (world_.has_news() && have_many_ended())) return not_before(now_);
    std::optional<TimePoint> next;
    if (next_time_) next = not_before(*next_time_);
    if (world_.has_news()) {
      const TimePoint gathered = not_before(now_, patience());
      next = next ? std::min(*next, gathered) : gathered;
    }
    return next;
  }
  bool is_room_made_now() const {
    if (running_ <= kPartThatEnds || is_unfinished_ || !last_whole_ || (next_time_ && *next_time_ <= now_))
      return true;
    return now_ - *last_whole_ >= (now_ - from_) / kPartOfTimeForRoom;
  }
  bool have_many_ended() const { return (world_.jobs_ended() - ended_before_) * kPartThatEnds >= running_; }
  Duration patience() const {
    return last_cycle_ ? std::max<Duration>(kPeriod, (*last_cycle_ - from_) / kPartOfTime) : Duration::zero();
  }
  bool is_cycle_due() const {
    const auto at = next_cycle();
    return at && *at <= now_;
  }
  std::optional<TimePoint> next_event_time() const {
    const auto event = world_.next(), cycle = next_cycle();
    if (!event || !cycle) return event ? event : cycle;
    return std::min(*event, *cycle);
  }

  void decide() {
    const bool is_whole = is_room_made_now();
    const Decisions decided = run_cycle(cluster_, is_whole ? policy_ : allocates_, now_,
                                        {.memory = &memory_,
                                         .selector_results = &selector_results_,
                                         .set_aside = &line_.look(cluster_),
                                         .known_to_wait = &world_.known_to_wait()});
    note_starts(decided);
    world_.carry_out(decided, now_);
    last_cycle_ = now_;
    news_since_.reset();
    ended_before_ = world_.jobs_ended();
    if (is_whole) last_whole_ = now_, next_time_ = decided.next_deadline;
    const bool tried_only_some = !policy_.settings.queue_depth.empty() && !decided.binds.empty();
    is_unfinished_ = decided.is_unfinished || tried_only_some || !decided.evictions.empty();
  }

  // Only jobs that were bound now can have started. If events were collected, the job would have started at
  // some unknown time in between; assumes the middle.
  void note_starts(const Decisions& decided) {
    const TimePoint since = news_since_.value_or(now_), start = since + (now_ - since) / 2;
    for (const BindDecision& bind : decided.binds) {
      const JobId job = cluster_.task(bind.task).job;
      if (!job.valid() || !waits_[job] || !is_at_minimum(cluster_, job)) continue;
      starts_[job] = start;
      waits_[job] = false;
      --waiting_;
    }
  }

  const Policy &policy_, &allocates_;
  Cluster& cluster_;
  TimedCluster world_;
  DeferredJobs line_;
  SearchMemory memory_;
  SelectorResults selector_results_;
  const TimePoint from_;
  TimePoint now_;
  const JobId target_;
  Starts starts_;
  IdVector<JobId, char> waits_;  // 1 for jobs that have not started
  std::size_t waiting_ = 0;      // number of these jobs
  std::optional<TimePoint> last_cycle_, last_whole_, next_time_;
  std::optional<TimePoint> news_since_;  // time of the first event that no cycle has seen
  bool is_unfinished_ = false;
  // Number of jobs that ran at the beginning, and number that had ended by the last cycle.
  std::size_t running_ = 0, ended_before_ = 0;
};

// The time by which the job has started in this share of all possible futures. The simulated futures are a
// sample: the value of rank r among n estimates the share r / (n + 1). A future in which the job does not
// start counts as later than any time.
std::optional<TimePoint> at_share(const std::vector<TimePoint>& sorted, int futures, double share) {
  const int rank = std::min(futures, static_cast<int>(std::ceil(share * (futures + 1))));
  return rank == 0 || rank > std::ssize(sorted) ? std::nullopt
                                                : std::optional(sorted[static_cast<std::size_t>(rank - 1)]);
}

}  // namespace

int threads_here() {
  constexpr unsigned kMost = 8;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMost));
}

StartForecast::StartForecast(const State& state, const Outcome& unchanged, JobId target,
                             const FutureLimits& limits)
    : lengths_(state, unchanged.cluster) {
  const Duration begin = limits.stopwatch.elapsed();
  const auto is_before = [&](Duration end) { return limits.stopwatch.elapsed() - begin < end; };
  const CommonGround common{state, unchanged, lines_of(unchanged.cluster), allocation_of(state.policy)};
  constexpr int kPatienceForOne = 3;
  const int futures = lengths_.is_random() ? limits.futures : 1;
  std::vector<std::optional<Starts>> whole(static_cast<std::size_t>(futures)), cut = whole;
  std::atomic<std::size_t> next = 0;
  const auto play_some = [&] {
    Cluster cluster;
    for (std::size_t i = next++; i < whole.size() && (i == 0 || is_before(limits.time)); i = next++) {
      Future play(common, target, lengths_.draw(i + 1), cluster);
      // At least one future should finish.
      const Duration end = i == 0 ? kPatienceForOne * limits.time : limits.time;
      const bool is_whole = play.run([&] { return is_before(end); });
      (is_whole ? whole : cut)[i] = play.take_starts();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < std::min(limits.threads, futures); ++i) others.emplace_back(play_some);
    play_some();
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i]) played_.push_back(*std::move(whole[i]));
    if (cut[i] && !unfinished_) unfinished_ = std::move(cut[i]);
  }
  is_cut_ = std::ssize(played_) < futures;
  if (!target.valid() || is_cut_ || lengths_.basis(target).unknown == 0 || of(target).p50) return;
  Cluster cluster;
  constexpr auto kSomeTime = std::chrono::hours(1);
  Future play(common, target, lengths_.draw(1, kSomeTime), cluster);
  play.run([&] { return is_before(kPatienceForOne * limits.time); });
  rests_on_unknown_ = play.take_starts()[target].has_value();
}

StartEstimate StartForecast::of(JobId job) const {
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
                         .is_cut = is_cut_,
                         .rests_on_unknown = rests_on_unknown_};
  if (futures > 0) estimate.never = static_cast<double>(futures - std::ssize(starts)) / futures;
  return estimate;
}

}  // namespace muster::answers
