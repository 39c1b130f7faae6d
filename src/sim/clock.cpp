// The main loop: advances to the next event, runs a cycle if one is due, and applies its decisions.
#include "sim/clock.hpp"

#include <algorithm>
#include <chrono>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/selector_results.hpp"
#include "engine/search/search_memory.hpp"
#include "sim/past_use.hpp"

namespace muster {
namespace {

using Steady = std::chrono::steady_clock;

std::optional<TimePoint> earlier(const std::optional<TimePoint>& a, const std::optional<TimePoint>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

class ClockRun {
 public:
  ClockRun(Cluster& cluster, Policy& policy, Agenda agenda, Controllers* controllers,
           const ClockOptions& options, const ClockWatchers& watchers)
      : cluster_(cluster),
        policy_(policy),
        options_(options),
        watchers_(watchers),
        world_(cluster, std::move(agenda), options.timed, watchers.on_occurrence),
        past_use_(options.usage, cluster, policy.settings.usage, options.timed.from),
        now_(options.timed.from),
        last_activity_(now_) {
    world_.set_controllers(controllers);
  }

  RunOutcome run() {
    const auto start = Steady::now();
    bool goes_on = true;
    while (goes_on) {
      pass_time();
      if (is_cycle_due()) run_cycle_now();
      const auto next = next_time();
      if (!next || *next > options_.timed.end.value_or(kLastTime)) break;
      goes_on = watchers_.goes_on({now_, cycles_, world_.jobs_ended()});
      if (goes_on) now_ = *next;
    }
    RunOutcome outcome = world_.finish(end_of_run(goes_on));
    outcome.is_cut = !goes_on;
    outcome.cycles = cycles_;
    outcome.wall_seconds = std::chrono::duration<double>(Steady::now() - start).count();
    return outcome;
  }

 private:
  TimePoint end_of_run(bool is_complete) const {
    if (!is_complete) return now_;
    return options_.timed.end.value_or(last_activity_);
  }

  void pass_time() {
    past_use_.count_until(now_, cluster_);
    const std::uint64_t happenings = world_.happenings();
    world_.advance(now_);
    if (world_.happenings() != happenings) note_activity();
    if (past_use_.is_due(now_)) is_use_new_ |= past_use_.take(now_, policy_.settings.usage);
  }

  bool is_something_new() const { return world_.has_news() || is_unfinished_ || is_use_new_; }
  std::optional<TimePoint> earliest_cycle(TimePoint wanted) const {
    return last_cycle_ ? std::max(wanted, *last_cycle_ + options_.period) : wanted;
  }
  // The time of the next cycle; nullopt: none before the next event.
  std::optional<TimePoint> next_cycle() const {
    if (is_something_new()) return earliest_cycle(now_);
    return next_deadline_ ? earliest_cycle(*next_deadline_) : std::nullopt;
  }
  bool is_cycle_due() const {
    const auto at = next_cycle();
    return at && *at <= now_;
  }

  // Node failures count only if another event is still to come or an end is set; otherwise the run would
  // never end.
  std::optional<TimePoint> next_time() const {
    std::optional<TimePoint> next = earlier(world_.next(), next_cycle());
    if (past_use_.is_kept() && !cluster_.pending_jobs().empty() && past_use_.may_change())
      next = earlier(next, past_use_.next());
    if (next || options_.timed.end) next = earlier(next, world_.next_failure());
    return next;
  }

  void run_cycle_now() {
    if (is_use_new_) memory_ = SearchMemory();  // results of searches under other shares no longer hold
    const Decisions decisions = run_cycle(cluster_, policy_, now_,
                                          {.memory = &memory_,
                                           .selector_results = &selector_results_,
                                           .known_to_wait = &world_.known_to_wait()});
    ++cycles_;
    if (watchers_.on_cycle) watchers_.on_cycle(now_, decisions);
    world_.carry_out(decisions, now_);
    last_cycle_ = now_;
    is_use_new_ = false;
    next_deadline_ = decisions.next_deadline;
    const bool tried_only_some = !policy_.settings.queue_depth.empty() && !decisions.binds.empty();
    const bool has_decided = !decisions.binds.empty() || !decisions.evictions.empty();
    // What was decided may allow more for the jobs that still wait: pods that they want to be near, for one.
    const bool may_decide_more = has_decided && !cluster_.pending_jobs().empty();
    is_unfinished_ = decisions.is_unfinished || tried_only_some ||
                     (may_decide_more && policy_.settings.compatibility.settled_plans);
    if (has_decided) note_activity();
  }
  void note_activity() {
    last_activity_ = now_;
    past_use_.something_happened();
  }

  Cluster& cluster_;
  Policy& policy_;
  const ClockOptions& options_;
  const ClockWatchers& watchers_;
  TimedCluster world_;
  PastUse past_use_;
  SearchMemory memory_;
  SelectorResults selector_results_;
  TimePoint now_, last_activity_;
  std::optional<TimePoint> last_cycle_, next_deadline_;
  std::int64_t cycles_ = 0;
  bool is_unfinished_ = false, is_use_new_ = false;
};

}  // namespace

RunOutcome run_clock(Cluster& cluster, Policy& policy, Agenda agenda, Controllers* controllers,
                     const ClockOptions& options, const ClockWatchers& watchers) {
  return ClockRun(cluster, policy, std::move(agenda), controllers, options, watchers).run();
}

}  // namespace muster
