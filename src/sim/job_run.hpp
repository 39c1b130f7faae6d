// One job in simulated time: how far its pods are, what it loses, and how its life divides.
// docs/spec/time.md 2.
//
// Pure arithmetic over instants that only go on: who places pods and takes their places is told from outside.
// Amounts are whole nanoseconds, so that the parts of a life add up to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/work.hpp"
#include "sim/run_outcome.hpp"

namespace muster {

class JobRun {
 public:
  using Pod = std::size_t;  // index; those that left keep theirs

  // What one pod has to do. No total: it runs for ever, or as long as the job's common work lasts.
  struct Plan {
    std::optional<Duration> total, checkpoint_every, fails_after;
    Duration restart_cost{};
    std::int64_t gpus = 0;  // held while it has a place, in thousandths
  };

  explicit JobRun(TimePoint submitted) : at_(submitted) {}

  // ---- what it has to do
  Pod add(const Plan& plan);
  // Before the pod runs, or where its job says something else now: what is done stays done.
  void set_plan(Pod pod, const Plan& plan) { pods_[pod].plan = plan; }
  const Plan& plan(Pod pod) const { return pods_[pod].plan; }
  // The pods work on one heap of pod-time instead; the job ends when it is gone.
  void set_common_work(Duration total, std::optional<Duration> checkpoint_every);
  // It had done so much before the clock began to run; what of that is lost was not used in the run.
  void set_done_before(Pod pod, Duration done);

  // ---- time passes
  void advance(TimePoint now);

  // ---- changes at that instant; settle() draws the conclusions from all of them together
  void take_place(Pod pod) { change(pod, State::kPlaced); }
  void start(Pod pod) { change(pod, State::kRunning); }
  // It loses its place for good, and what it did since its checkpoint.
  void lose_place(Pod pod, bool has_failed = false);
  // Terminating: it holds its place a little longer, and does nothing.
  void stop(Pod pod, bool has_failed = false);
  void leave_place(Pod pod) { change(pod, State::kWaiting); }  // after stop()
  void finish(Pod pod) { change(pod, State::kFinished); }
  void remove(Pod pod);  // it is gone, and nobody makes it again
  // `stands`: with those that run and those that finished it is at its minimum.
  void settle(bool stands);

  // ---- what comes next
  // When a pod finishes, fails, or changes its pace.
  std::optional<TimePoint> next() const;
  // At the instant of the last advance(): who is done, who fails now.
  std::vector<Pod> due_to_finish() const;
  std::vector<Pod> due_to_fail() const;
  bool is_common_work_done() const { return common_ && common_->done >= common_->total; }

  // ---- how it stands
  bool stands() const { return stands_; }
  bool has_place(Pod pod) const { return holds(pods_[pod].state); }
  bool is_running(Pod pod) const { return pods_[pod].state == State::kRunning; }
  bool is_terminating(Pod pod) const { return pods_[pod].state == State::kTerminating; }
  bool is_finished(Pod pod) const { return pods_[pod].state == State::kFinished; }
  bool is_waiting(Pod pod) const { return pods_[pod].state == State::kWaiting; }
  bool is_gone(Pod pod) const { return pods_[pod].state == State::kGone; }
  bool are_all_finished() const;  // of at least one pod
  std::size_t pods() const { return pods_.size(); }
  std::int64_t gpus_held() const { return gpus_held_; }
  // The longest of its pods, or, where some are made when others finish, the work of all by as many as there
  // are at once; common work by all of them. Zero: not known.
  Duration undisturbed() const;

  // ---- its life so far
  std::optional<TimePoint> first_start;
  Duration run{}, queued{}, held_idle{};
  std::int64_t starts = 0;
  GpuTime used = 0, lost = 0;

 private:
  enum class State : std::uint8_t { kWaiting, kPlaced, kRunning, kTerminating, kFinished, kGone };
  struct PodRun {
    Plan plan;
    State state = State::kWaiting;
    bool has_begun = false;        // worked since it was last made
    bool must_pay = false;         // for a restart, when it works again
    bool was_taken = false;        // since the last settle()
    bool has_failed_once = false;  // as it was told to
    Duration done{}, done_before{}, at_standing{}, worked{}, overhead{};
  };
  struct CommonWork {
    Duration total{}, done{}, at_standing{};
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
  void lose_alone(PodRun& pod);
  void begin_to_stand();

  std::vector<PodRun> pods_;
  std::optional<CommonWork> common_;
  TimePoint at_;
  bool stands_ = false;
  std::int64_t placed_ = 0, gpus_held_ = 0;
  std::int64_t unfinished_ = 0, most_at_once_ = 0;  // pods
};

}  // namespace muster
