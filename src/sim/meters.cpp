// Adds up amount times time at every change. Halves the series when it becomes too long.
#include "sim/meters.hpp"

#include <algorithm>
#include <utility>

#include "model/cluster.hpp"

namespace muster {
namespace {

constexpr std::size_t kPoints = 500, kMostPoints = 1'000'000;

// Rounds to whole seconds, so that the timestamps are easy to read.
Duration rounded_up(Duration d) {
  constexpr Duration second = std::chrono::seconds(1);
  return std::max(second, (d + second - Duration(1)) / second * second);
}

Duration first_step(TimePoint from, const std::optional<TimePoint>& end) {
  if (!end) return std::chrono::seconds(1);
  return rounded_up((*end - from) / static_cast<std::int64_t>(kPoints));
}

template <class T>
void halve(std::vector<T>& values) {
  for (std::size_t i = 0; 2 * i < values.size(); ++i) values[i] = values[2 * i];
  values.resize((values.size() + 1) / 2);
}

}  // namespace

Meters::Meters(TimePoint from, std::optional<TimePoint> end, std::optional<Duration> step)
    : now_(from), reached_(from), next_sample_(from), most_points_(step || end ? kMostPoints : 2 * kPoints) {
  series_.step = step ? *step : first_step(from, end);
}

Meters::OfQueue& Meters::of(QueueId queue) {
  if (!queue.valid()) return outside_;
  if (!queues_.contains(queue)) queues_.resize(queue.index() + 1);
  return queues_[queue];
}

void Meters::count() {
  for (const FairChange& change : fair_changes_) {
    count_until(change.at);
    of(change.queue).fair = change.gpus;
  }
  fair_changes_.clear();
  count_until(reached_);
}

void Meters::count_until(TimePoint end) {
  if (end <= now_) return;
  sample_until(end, false);
  const std::int64_t time = (end - now_).count();
  now_ = end;
  used_ += GpuTime{held_} * time;
  capacity_ += GpuTime{gpus_} * time;
  const std::int64_t idle = gpus_ - held_;
  if (idle > 0 && !waits_.empty() && waits_.begin()->first <= idle) in_vain_ += GpuTime{idle} * time;
  const double seconds = static_cast<double>(time) / 1e9;
  for (OfQueue& q : queues_) {
    q.used += GpuTime{q.held} * time;
    q.fair_seconds += q.fair * seconds;
  }
}

void Meters::set_fair_share(QueueId queue, double gpus) {
  if (std::exchange(of(queue).latest_fair, gpus) != gpus) fair_changes_.push_back({reached_, queue, gpus});
}

void Meters::hold(QueueId queue, std::int64_t gpus) {
  count();
  of(queue).held += gpus;
  held_ += gpus;
}

void Meters::wait_for(std::int64_t gpus, int sign) {
  if (gpus <= 0) return;
  count();
  const auto at = waits_.try_emplace(gpus, 0).first;
  at->second += sign;
  if (at->second == 0) waits_.erase(at);
}

void Meters::set_capacity(std::int64_t nodes, std::int64_t gpus) {
  count();
  nodes_ = nodes;
  gpus_ = gpus;
  most_nodes_ = std::max(most_nodes_, nodes);
  most_gpus_ = std::max(most_gpus_, gpus);
}

// ---------------------------------------------------------------- the series

// The current values apply to all times before `end`.
void Meters::sample_until(TimePoint end, bool is_last) {
  while (next_sample_ < end || (is_last && next_sample_ == end)) {
    sample(next_sample_);
    if (series_.at.size() >= most_points_) halve_series();
    next_sample_ = series_.at.back() + series_.step;
  }
}

void Meters::sample(TimePoint at) {
  const std::size_t before = series_.at.size();
  series_.at.push_back(at);
  series_.used.push_back(held_);
  series_.wanted.push_back(held_ + pending_);
  series_.capacity.push_back(gpus_);
  series_.jobs_waiting.push_back(waiting_);
  for (OfQueue& q : queues_) {
    q.used_series.resize(before, 0);  // a queue that was created later had no use before
    q.fair_series.resize(before, 0);
    q.used_series.push_back(q.held);
    q.fair_series.push_back(q.fair);
  }
}

void Meters::halve_series() {
  series_.step *= 2;
  halve(series_.at);
  halve(series_.used);
  halve(series_.wanted);
  halve(series_.capacity);
  halve(series_.jobs_waiting);
  for (OfQueue& q : queues_) {
    halve(q.used_series);
    halve(q.fair_series);
  }
}

// ---------------------------------------------------------------- the end

void Meters::finish(TimePoint end, const Cluster& cluster, RunOutcome& outcome) {
  std::erase_if(fair_changes_, [&](const FairChange& change) { return change.at > end; });
  reached_ = end;
  count();
  sample_until(end, true);
  outcome.nodes = most_nodes_;
  outcome.gpus = most_gpus_;
  outcome.used = used_;
  outcome.capacity = capacity_;
  outcome.idle_in_vain = in_vain_;
  const auto add = [&](QueueId q) {
    OfQueue& of_queue = of(q);
    const std::string& name = cluster.queue(q).name;
    outcome.queues.push_back({.name = name,
                              .used = of_queue.used,
                              .lost = of_queue.lost,
                              .fair_gpu_seconds = of_queue.fair_seconds,
                              .evictions = std::move(of_queue.evictions),
                              .requeues = of_queue.requeues});
    of_queue.used_series.resize(series_.at.size(), 0);
    of_queue.fair_series.resize(series_.at.size(), 0);
    series_.queues[name] = {std::move(of_queue.used_series), std::move(of_queue.fair_series)};
  };
  for (QueueId q : cluster.queue_tree().depth_first())
    if (cluster.queue(q).is_leaf()) add(q);
  std::vector<QueueId> others;
  for (QueueId q : ids(cluster.queues()))
    if (!cluster.queue(q).usable || !cluster.queue(q).is_leaf()) others.push_back(q);
  std::ranges::sort(others, {}, [&](QueueId q) { return cluster.queue(q).name; });
  for (QueueId q : others)
    if (const OfQueue& seen = of(q); seen.used > 0 || !seen.evictions.empty()) add(q);
  outcome.series = std::move(series_);
}

}  // namespace muster
