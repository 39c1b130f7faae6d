// Integrates the use of the cluster and its queues over time, and records the series. Exact: amounts are
// whole thousandths of a GPU and nanoseconds. Time is counted when the next change comes, so that a run may
// end with the last thing that happened, although the clock has looked further ahead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/ids.hpp"
#include "sim/run_outcome.hpp"
#include "util/id_vector.hpp"

namespace muster {

class Cluster;

class Meters {
 public:
  // Without `step`, chooses one that gives about 500 points, using `end` if known. Doubles the step when
  // there are too many points.
  Meters(TimePoint from, std::optional<TimePoint> end, std::optional<Duration> step);

  // The current values apply up to `now`.
  void advance(TimePoint now) { reached_ = std::max(reached_, now); }

  // ---- changes at the current time
  void hold(QueueId queue, std::int64_t gpus);  // negative: releases; queue not valid: no queue
  void lose(QueueId queue, GpuTime time) { of(queue).lost += time; }
  void want(std::int64_t gpus) { count(), pending_ += gpus; }
  void wait(int jobs) { count(), waiting_ += jobs; }
  // A job starts (sign 1) or stops (sign −1) waiting for this number of GPUs.
  void wait_for(std::int64_t gpus, int sign);
  void set_capacity(std::int64_t nodes, std::int64_t gpus);
  void set_fair_share(QueueId queue, double gpus);  // dropped if the run ends before
  void count_eviction(QueueId queue, const std::string& action) { ++of(queue).evictions[action]; }
  void count_requeue(QueueId queue) { ++of(queue).requeues; }

  // Writes the series up to `end`, the end of the run, and all other results into the outcome. REQUIRES:
  // `end` is not before the last change.
  void finish(TimePoint end, const Cluster& cluster, RunOutcome& outcome);

 private:
  struct OfQueue {
    std::int64_t held = 0, requeues = 0;
    double fair = 0, latest_fair = 0, fair_seconds = 0;
    GpuTime used = 0, lost = 0;
    std::map<std::string, std::int64_t> evictions;
    std::vector<std::int64_t> used_series;
    std::vector<double> fair_series;
  };
  struct FairChange {
    TimePoint at;
    QueueId queue;
    double gpus = 0;
  };
  OfQueue& of(QueueId queue);
  void count();  // the time up to now, with the values until now
  void count_until(TimePoint end);
  void sample_until(TimePoint end, bool is_last);
  void sample(TimePoint at);
  void halve_series();

  IdVector<QueueId, OfQueue> queues_;
  OfQueue outside_;                             // pods without a queue
  std::map<std::int64_t, std::int64_t> waits_;  // requested GPUs → number of jobs
  std::vector<FairChange> fair_changes_;        // since `now_`, oldest first
  TimePoint now_, reached_, next_sample_;       // time is counted up to `now_`
  const std::size_t most_points_;
  std::int64_t held_ = 0, pending_ = 0, waiting_ = 0, nodes_ = 0, gpus_ = 0, most_nodes_ = 0, most_gpus_ = 0;
  GpuTime used_ = 0, capacity_ = 0, in_vain_ = 0;
  RunSeries series_;
};

}  // namespace muster
