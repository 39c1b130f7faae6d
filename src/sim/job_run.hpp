// One job in simulated time: the progress of its pods, the work that it loses, and the parts of its time.
// docs/time.md 2.
//
// Pure arithmetic with ascending timestamps; the caller reports when pods get and lose places. Amounts are
// whole nanoseconds, so that the parts of the job's time add up exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/work.hpp"
#include "sim/run_outcome.hpp"

namespace muster {

class JobRun {
 public:
  using Pod = std::size_t;  // index; stays valid after the pod has left

  // The work of one pod. Without a total, it runs forever, or as long as the job's common work lasts.
  struct Plan {
    std::optional<Duration> total, checkpoint_every, fails_after;
    Duration restart_cost{};
    std::int64_t gpus = 0;  // thousandths, in use while the pod has a place
  };

  explicit JobRun(TimePoint submitted) : at_(submitted) {}

  // ---- work
  Pod add(const Plan& plan);
  // Call before the pod runs, or when its job changes the plan. Progress is kept.
  void set_plan(Pod pod, const Plan& plan) { pods_[pod].plan = plan; }
  const Plan& plan(Pod pod) const { return pods_[pod].plan; }
  // Replaces the work of single pods by one amount of pod-time; the job ends when it is done.
  void set_common_work(Duration total, std::optional<Duration> checkpoint_every);
  // Progress from before the run. Losing it does not count as GPU time lost in the run.
  void set_done_before(Pod pod, Duration done);

  // ---- passage of time
  void advance(TimePoint now);

  // ---- changes at the time of the last advance(); settle() evaluates all of them together
  void take_place(Pod pod) { change(pod, State::kPlaced); }
  void start(Pod pod) { change(pod, State::kRunning); }
  // The pod loses its place and the progress since its checkpoint.
  void lose_place(Pod pod, bool has_failed = false);
  // The pod is terminating: it keeps its place for now and makes no progress.
  void stop(Pod pod, bool has_failed = false);
  void leave_place(Pod pod) { change(pod, State::kWaiting); }  // after stop()
  void finish(Pod pod) { change(pod, State::kFinished); }
  void remove(Pod pod);  // the pod is gone and will not be recreated
  // `is_at_minimum`: true if the running and finished pods reach the job's minimum.
  void settle(bool is_at_minimum);

  // ---- next event
  // When a pod finishes, fails, or changes its pace.
  std::optional<TimePoint> next() const;
  // The pods that finish or fail at the time of the last advance().
  std::vector<Pod> due_to_finish() const;
  std::vector<Pod> due_to_fail() const;
  bool is_common_work_done() const { return common_ && common_->done >= common_->total; }

  // ---- state
  bool is_at_minimum() const { return is_at_minimum_; }
  bool has_place(Pod pod) const { return holds(pods_[pod].state); }
  bool is_running(Pod pod) const { return pods_[pod].state == State::kRunning; }
  bool is_terminating(Pod pod) const { return pods_[pod].state == State::kTerminating; }
  bool is_finished(Pod pod) const { return pods_[pod].state == State::kFinished; }
  bool is_waiting(Pod pod) const { return pods_[pod].state == State::kWaiting; }
  bool is_gone(Pod pod) const { return pods_[pod].state == State::kGone; }
  bool are_all_finished() const;  // and there is at least one
  std::size_t pods() const { return pods_.size(); }
  std::int64_t gpus_held() const { return gpus_held_; }
  // The duration without disturbances: the longest pod; if some pods are created only when others finish, the
  // total work divided by the number of pods at a time; for common work, its total divided by all pods. Zero
  // if unknown.
  Duration undisturbed() const;

  // ---- history
  std::optional<TimePoint> first_start;
  Duration run{}, queued{}, held_idle{};
  std::int64_t starts = 0;
  GpuTime used = 0, lost = 0;

 private:
  enum class State : std::uint8_t { kWaiting, kPlaced, kRunning, kTerminating, kFinished, kGone };
  struct PodRun {
    Plan plan;
    State state = State::kWaiting;
    bool has_begun = false;        // has worked since it was last created
    bool must_pay = false;         // pays for a restart when it works again
    bool was_taken = false;        // evicted since the last settle()
    bool has_failed_once = false;  // the failure in its plan has happened
    Duration done{}, done_before{}, at_start{}, worked{}, overhead{};
  };
  struct CommonWork {
    Duration total{}, done{}, at_start{};
    std::optional<Duration> checkpoint_every;
  };

  static bool holds(State s) {
    return s == State::kPlaced || s == State::kRunning || s == State::kTerminating;
  }
  static bool is_unfinished(State s) { return s != State::kFinished && s != State::kGone; }
  void change(Pod pod, State to);
  void work(PodRun& pod, Duration time);
  void fall_back(PodRun& pod, Duration to);
  void fall_back_together();
  void lose_own_progress(PodRun& pod);
  void reach_minimum();

  std::vector<PodRun> pods_;
  std::optional<CommonWork> common_;
  TimePoint at_;
  bool is_at_minimum_ = false;
  std::int64_t placed_ = 0, gpus_held_ = 0;
  std::int64_t unfinished_ = 0, most_at_once_ = 0;  // numbers of pods
};

}  // namespace muster
