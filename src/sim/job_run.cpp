// Counts progress in whole nanoseconds. A gang makes progress only while it is at its minimum.
#include "sim/job_run.hpp"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

// The last multiple of `every` that was reached, or `otherwise` without checkpoints.
Duration last_checkpoint(Duration done, const std::optional<Duration>& every, Duration otherwise) {
  if (!every || *every <= Duration::zero()) return otherwise;
  return done - done % *every;
}

}  // namespace

JobRun::Pod JobRun::add(const Plan& plan) {
  pods_.push_back({.plan = plan});
  most_at_once_ = std::max(most_at_once_, ++unfinished_);
  return pods_.size() - 1;
}

void JobRun::set_common_work(Duration total, std::optional<Duration> checkpoint_every) {
  if (!common_) common_ = CommonWork{};
  common_->total = total;
  common_->checkpoint_every = checkpoint_every;
}

void JobRun::set_done_before(Pod pod, Duration done) {
  PodRun& p = pods_[pod];
  if (p.plan.total) done = std::min(done, *p.plan.total);
  p.done = p.done_before = done;
}

// ---------------------------------------------------------------- time passes

void JobRun::advance(TimePoint now) {
  const Duration time = now - at_;
  if (time <= Duration::zero()) return;
  at_ = now;
  (is_at_minimum_ ? run : placed_ > 0 ? held_idle : queued) += time;
  used += GpuTime{gpus_held_} * time.count();
  if (!is_at_minimum_) return;
  for (PodRun& pod : pods_)
    if (pod.state == State::kRunning) work(pod, time);
}

// The cost of a restart is paid before any progress.
void JobRun::work(PodRun& pod, Duration time) {
  pod.worked += time;
  const Duration paid = std::min(time, pod.overhead);
  pod.overhead -= paid;
  time -= paid;
  if (common_) {
    time = std::min(time, common_->total - common_->done);
    common_->done += time;
  } else if (pod.plan.total) {
    time = std::min(time, *pod.plan.total - pod.done);
  }
  pod.done += time;
}

// ---------------------------------------------------------------- changes

void JobRun::change(Pod pod, State to) {
  PodRun& p = pods_[pod];
  const int places = static_cast<int>(holds(to)) - static_cast<int>(holds(p.state));
  placed_ += places;
  gpus_held_ += places * p.plan.gpus;
  unfinished_ += static_cast<int>(is_unfinished(to)) - static_cast<int>(is_unfinished(p.state));
  p.state = to;
}

void JobRun::lose_place(Pod pod, bool has_failed) {
  stop(pod, has_failed);
  change(pod, State::kWaiting);
}

void JobRun::stop(Pod pod, bool has_failed) {
  PodRun& p = pods_[pod];
  p.was_taken = p.was_taken || p.state == State::kRunning;
  p.has_failed_once = p.has_failed_once || has_failed;
  change(pod, State::kTerminating);
}

// The progress of the pod is kept.
void JobRun::remove(Pod pod) { change(pod, State::kGone); }

void JobRun::settle(bool is_at_minimum) {
  if (is_at_minimum_ && !is_at_minimum) {
    fall_back_together();
  } else if (is_at_minimum_) {
    for (PodRun& pod : pods_)
      if (pod.was_taken) lose_own_progress(pod);
  }
  const bool begins = is_at_minimum && !is_at_minimum_;
  is_at_minimum_ = is_at_minimum;
  if (begins) reach_minimum();
  for (PodRun& pod : pods_) {
    if (pod.was_taken) pod.has_begun = false, pod.worked = Duration::zero();
    pod.was_taken = false;
    if (!is_at_minimum_ || pod.state != State::kRunning || pod.has_begun) continue;
    pod.has_begun = true;
    pod.overhead = pod.must_pay ? pod.plan.restart_cost : Duration::zero();
    pod.must_pay = false;
  }
}

void JobRun::reach_minimum() {
  ++starts;
  if (!first_start) first_start = at_;
  if (common_) common_->at_start = common_->done;
  for (PodRun& pod : pods_)
    if (is_unfinished(pod.state)) pod.at_start = pod.done - pod.done_before;
}

// Work from before the run is not counted as used, so it is not counted as lost either.
void JobRun::fall_back(PodRun& pod, Duration to) {
  const Duration again = pod.done - std::max(to, std::min(pod.done, pod.done_before));
  if (again > Duration::zero()) lost += GpuTime{pod.plan.gpus} * again.count();
  pod.done = to;
  pod.done_before = std::min(pod.done_before, to);
}

// If the job falls below its minimum, all pods restart from the last checkpoint of the gang.
void JobRun::fall_back_together() {
  std::int64_t workers = 0, gpus = 0;
  for (PodRun& pod : pods_) {
    const bool worked = pod.has_begun && (pod.state == State::kRunning || pod.was_taken);
    if (!worked || !is_unfinished(pod.was_taken ? State::kWaiting : pod.state)) continue;
    ++workers, gpus += pod.plan.gpus;
    pod.must_pay = true;
    pod.has_begun = false;
    if (!common_) fall_back(pod, last_checkpoint(pod.done, pod.plan.checkpoint_every, pod.at_start));
    pod.overhead = Duration::zero();
    if (common_) pod.done = Duration::zero();
  }
  if (!common_) return;
  const Duration to = last_checkpoint(common_->done, common_->checkpoint_every, common_->at_start);
  const Duration again = common_->done - to;
  if (workers > 0) lost += GpuTime{gpus} * again.count() / workers;
  common_->done = to;
}

// The other pods continue.
void JobRun::lose_own_progress(PodRun& pod) {
  if (!pod.has_begun) return;
  pod.must_pay = true;
  pod.overhead = Duration::zero();
  const auto& every = common_ ? common_->checkpoint_every : pod.plan.checkpoint_every;
  const Duration to = last_checkpoint(pod.done, every, Duration::zero());
  if (common_) {
    const Duration again = pod.done - to;
    lost += GpuTime{pod.plan.gpus} * again.count();
    common_->done -= again;
    pod.done = Duration::zero();
  } else {
    fall_back(pod, to);
  }
}

// ---------------------------------------------------------------- what comes next

namespace {

void take_earlier(std::optional<Duration>& first, Duration other) {
  if (!first || other < *first) first = other;
}

}  // namespace

std::optional<TimePoint> JobRun::next() const {
  if (!is_at_minimum_) return std::nullopt;
  std::optional<Duration> first;
  std::int64_t paces = 0;
  for (const PodRun& pod : pods_) {
    if (pod.state != State::kRunning) continue;
    if (common_ && pod.overhead > Duration::zero()) take_earlier(first, pod.overhead);
    if (common_ && pod.overhead == Duration::zero()) ++paces;
    if (!common_ && pod.plan.total) take_earlier(first, pod.overhead + (*pod.plan.total - pod.done));
    if (pod.plan.fails_after && !pod.has_failed_once)
      take_earlier(first, std::max(Duration::zero(), *pod.plan.fails_after - pod.worked));
  }
  if (paces > 0) {
    const std::int64_t left = (common_->total - common_->done).count();
    take_earlier(first, Duration(left / paces + (left % paces != 0 ? 1 : 0)));
  }
  return first ? std::optional(at_ + *first) : std::nullopt;
}

std::vector<JobRun::Pod> JobRun::due_to_finish() const {
  std::vector<Pod> due;
  for (Pod i = 0; i < pods_.size(); ++i) {
    const PodRun& pod = pods_[i];
    if (!common_ && is_at_minimum_ && pod.state == State::kRunning && pod.plan.total &&
        pod.overhead == Duration::zero() && pod.done >= *pod.plan.total)
      due.push_back(i);
  }
  return due;
}

std::vector<JobRun::Pod> JobRun::due_to_fail() const {
  std::vector<Pod> due;
  for (Pod i = 0; i < pods_.size(); ++i) {
    const PodRun& pod = pods_[i];
    if (is_at_minimum_ && pod.state == State::kRunning && pod.plan.fails_after && !pod.has_failed_once &&
        pod.worked >= *pod.plan.fails_after)
      due.push_back(i);
  }
  return due;
}

bool JobRun::are_all_finished() const {
  const auto is_left = [](const PodRun& pod) { return is_unfinished(pod.state); };
  const auto is_done = [](const PodRun& pod) { return pod.state == State::kFinished; };
  return std::ranges::none_of(pods_, is_left) && std::ranges::any_of(pods_, is_done);
}

Duration JobRun::undisturbed() const {
  Duration longest{};
  GpuTime in_all = 0;
  std::int64_t pods = 0;
  for (const PodRun& pod : pods_) {
    if (pod.state == State::kGone) continue;
    ++pods;
    if (!pod.plan.total) continue;
    longest = std::max(longest, *pod.plan.total);
    in_all += pod.plan.total->count();
  }
  if (pods == 0) return {};
  if (common_) return common_->total / pods;
  return std::max(longest, Duration(static_cast<std::int64_t>(in_all / most_at_once_)));
}

}  // namespace muster
