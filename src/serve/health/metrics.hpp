// What the daemon counts, under KAI-Scheduler's names and a few of our own.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

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
struct EvictDecision;
struct RequeueRecord;
}  // namespace muster

namespace muster::serve {

class Metrics {
 public:
  using Clock = std::chrono::steady_clock;

  Metrics(const std::string& prefix, std::string node_pool);

  void cycle(const Cluster& cluster, const Decisions& decisions, std::chrono::nanoseconds took);
  void bound(std::chrono::nanoseconds since_created, std::chrono::nanoseconds write_took);
  void seen_before(std::chrono::nanoseconds bind);
  void evicted(const Cluster& cluster, const EvictDecision& eviction);
  // Of PodGroups whose last eviction is older: they have a counter each, and there is no end of them.
  void forget_evictions_before(Clock::time_point end);
  void answered(const std::string& method, const std::string& resource, int status,
                std::chrono::nanoseconds took);
  void write_failed(const std::string& what);
  void drifted(std::size_t objects);
  void checked();
  void leads(bool is_leader);
  void queued(std::size_t binds, std::size_t evictions, std::size_t requests);
  void left_out(std::int64_t objects);

  // In Prometheus' text form; from any thread.
  std::string text() const;

 private:
  using Counters = prometheus::Family<prometheus::Counter>;
  using Gauges = prometheus::Family<prometheus::Gauge>;
  using Histograms = prometheus::Family<prometheus::Histogram>;

  Counters& counters(const char* name, const char* help);
  Gauges& gauges(const char* name, const char* help);
  Histograms& histograms(const char* name, const char* help);
  void count_requeue(const RequeueRecord& record);
  void set_shares(const Cluster& cluster, const Decisions& decisions);

  std::shared_ptr<prometheus::Registry> registry_;
  const std::string prefix_, node_pool_;

  prometheus::Gauge *e2e_, *open_, *leader_, *drift_, *open_binds_, *open_evictions_, *waiting_requests_,
      *pending_jobs_, *unusable_;
  prometheus::Histogram *task_latency_, *bind_latency_, *watch_to_bind_;
  prometheus::Counter *cycles_, *self_checks_, *drift_total_, *preemptions_;
  Gauges &action_latency_, &fair_gpu_, &fair_cpu_, &fair_memory_;
  Counters &scheduled_, &acted_on_, &simulated_, &evicted_, &requests_, &failed_writes_;
  Counters &nominations_, &nomination_skips_, &requeue_commits_, &requeue_rollbacks_, &requeue_skips_;
  Histograms& request_seconds_;

  struct FairShare {
    prometheus::Gauge *cpu, *memory, *gpu;
    double in_cycle;  // the last that showed it
  };
  std::map<std::pair<std::string, std::string>, FairShare> fair_shares_;  // by queue name and display name
  struct EvictionsOfJob {
    Clock::time_point last;
    prometheus::Counter* count;
  };
  std::deque<EvictionsOfJob> evictions_by_age_;
  std::unordered_map<prometheus::Counter*, Clock::time_point> last_eviction_;
};

}  // namespace muster::serve
