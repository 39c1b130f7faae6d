// The metrics of the daemon, under KAI-Scheduler's names and a few of muster's own.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "answers/run_history.hpp"
#include "usage/amounts.hpp"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
template <class Metric>
class Family;
}  // namespace prometheus

namespace muster {
class Cluster;
struct Decisions;
struct RequeueRecord;
}  // namespace muster

namespace muster::serve {

class Metrics {
 public:
  using Clock = std::chrono::steady_clock;

  Metrics(const std::string& prefix, std::string node_pool);

  // `used`: the past use in effect; null without a source of past use.
  void cycle(const Cluster& cluster, const Decisions& decisions, std::chrono::nanoseconds took,
             const QueueUsage* used = nullptr);
  void bound(std::chrono::nanoseconds since_created, std::chrono::nanoseconds write_took);
  void seen_before(std::chrono::nanoseconds bind);
  struct EvictedFrom {
    std::string ns, name, uid;  // of the job
  };
  void evicted(const EvictedFrom& job, const std::string& action);
  // Counts an eviction by requeue. Called when the cooldowns of the victims are written.
  void requeue_committed(const std::string& nominators);
  // Removes the counters of PodGroups whose last eviction is older; they would grow without limit.
  void forget_evictions_before(Clock::time_point end);
  void answered(const std::string& method, const std::string& resource, int status,
                std::chrono::nanoseconds took);
  void write_failed(const std::string& what);
  void drifted(std::size_t objects);
  void checked();
  // Shows how many pods the other scheduler decided as muster would. Only in shadow mode.
  void shadowed(const std::map<std::string, std::int64_t>& pods, double agreement_percent);
  // Counts a decision of another scheduler about a pod of this one.
  void rival_decided();
  void leads(bool is_leader);
  // Records whether a changed configuration was accepted.
  void reloaded(bool is_good);
  void queued(std::size_t binds, std::size_t evictions, std::size_t requests);
  void left_out(std::int64_t objects);
  void usage_refreshed(std::chrono::nanoseconds took);
  void usage_failed();
  void usage_age(std::chrono::nanoseconds age);
  // The run times of jobs that ended, by queue and user.
  void run_times(const answers::RunFigureTable& figures);

  // Returns the metrics in Prometheus' text format. To be called from any thread.
  std::string text() const;

 private:
  using Counters = prometheus::Family<prometheus::Counter>;
  using Gauges = prometheus::Family<prometheus::Gauge>;
  using Histograms = prometheus::Family<prometheus::Histogram>;

  Counters& counters(const char* name, const char* help);
  Gauges& gauges(const char* name, const char* help);
  Histograms& histograms(const char* name, const char* help);
  void show_counters_at_zero();
  void count_requeue(const RequeueRecord& record);
  void show_queues(const Cluster& cluster, const Decisions& decisions, const QueueUsage* used);
  void forget_queues_not_shown();
  void show_fragments(const Decisions& decisions);

  std::shared_ptr<prometheus::Registry> registry_;
  const std::string prefix_, node_pool_;

  prometheus::Gauge *e2e_, *open_, *leader_, *drift_, *open_binds_, *open_evictions_, *interned_,
      *waiting_requests_, *pending_jobs_, *unusable_, *free_gpus_, *fragmented_gpus_;
  prometheus::Histogram *task_latency_, *bind_latency_, *watch_to_bind_;
  prometheus::Counter *cycles_, *self_checks_, *drift_total_, *rivals_, *short_lived_, *preemptions_;
  Gauges& action_latency_;
  Counters &scheduled_, &acted_on_, &simulated_, &evicted_, &evicted_by_action_, &requests_, &failed_writes_;
  Counters &nominations_, &nomination_skips_, &requeue_commits_, &requeue_would_commit_, &requeue_rollbacks_,
      &requeue_skips_;
  Histograms &request_seconds_, &usage_latency_;
  Counters &usage_errors_, &reloads_;
  prometheus::Gauge* reload_is_good_;
  Gauges &usage_age_, &run_seconds_;

  // One gauge per accounted resource, in their order.
  using OfResources = std::array<prometheus::Gauge*, 3>;
  struct GaugeFamilies {
    std::array<Gauges*, 3> all;
    OfResources add(const std::map<std::string, std::string>& labels) const;
    void remove(const OfResources& gauges) const;
  };
  const GaugeFamilies fair_, allocated_, used_, capacity_;
  struct ShownQueue {
    OfResources fair{}, allocated{}, used{};
    double in_cycle = 0;  // the last cycle that showed the queue
  };
  std::map<std::pair<std::string, std::string>, ShownQueue> shown_queues_;  // by name and display name
  struct ShownRunTimes {
    prometheus::Gauge *median = nullptr, *p90 = nullptr;
  };
  std::map<std::pair<std::string, std::string>, ShownRunTimes> shown_run_times_;  // by queue and user
  struct EvictionsOfJob {
    Clock::time_point last;
    prometheus::Counter* count;
  };
  std::deque<EvictionsOfJob> evictions_by_age_;
  std::unordered_map<prometheus::Counter*, Clock::time_point> last_eviction_;
};

}  // namespace muster::serve
