// Counters, gauges and histograms of Prometheus, and what each of them is told.
#include "serve/health/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <set>

#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::serve {
namespace {

using prometheus::Histogram;

constexpr auto kEvictionsShown = std::chrono::hours(1);

Histogram::BucketBoundaries doubling(double first, int count) {
  Histogram::BucketBoundaries bounds;
  for (int i = 0; i < count; ++i, first *= 2) bounds.push_back(first);
  return bounds;
}

double in_milliseconds(std::chrono::nanoseconds d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

}  // namespace

Metrics::Counters& Metrics::counters(const char* name, const char* help) {
  return prometheus::BuildCounter().Name(prefix_ + name).Help(help).Register(*registry_);
}
Metrics::Gauges& Metrics::gauges(const char* name, const char* help) {
  return prometheus::BuildGauge().Name(prefix_ + name).Help(help).Register(*registry_);
}
Metrics::Histograms& Metrics::histograms(const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(prefix_ + name).Help(help).Register(*registry_);
}

Metrics::Metrics(const std::string& prefix, std::string node_pool)
    : registry_(std::make_shared<prometheus::Registry>()),
      prefix_(prefix + "_"),
      node_pool_(std::move(node_pool)),
      e2e_(&gauges("e2e_scheduling_latency_milliseconds", "Time of the last cycle").Add({})),
      open_(&gauges("open_session_latency_milliseconds", "Time to open the last cycle's session").Add({})),
      leader_(&gauges("muster_leader", "1 while this replica may write").Add({})),
      drift_(&gauges("muster_drift_objects", "Objects that the last self-check found wrong").Add({})),
      open_binds_(&gauges("muster_open_binds", "Binds that the watch has not shown yet").Add({})),
      open_evictions_(&gauges("muster_open_evictions", "Evictions that the watch has not shown yet").Add({})),
      waiting_requests_(
          &gauges("muster_waiting_requests", "Requests that wait for a free connection").Add({})),
      pending_jobs_(&gauges("muster_waiting_jobs", "Jobs that wait for a place").Add({})),
      unusable_(
          &gauges("muster_unusable_objects", "Objects that could not be read, since the start").Add({})),
      task_latency_(&histograms("task_scheduling_latency_milliseconds", "From a pod's creation to its bind")
                         .Add({}, doubling(5, 10))),
      bind_latency_(
          &histograms("task_bind_latency_milliseconds", "Time to write a bind").Add({}, doubling(5, 10))),
      watch_to_bind_(
          &histograms("muster_watch_to_bind_milliseconds", "From the watch's first word of a pod to its bind")
               .Add({}, doubling(1, 16))),
      cycles_(&counters("muster_cycles_total", "Cycles run").Add({})),
      self_checks_(&counters("muster_self_checks_total", "Comparisons with a fresh list").Add({})),
      drift_total_(&counters("muster_drift_objects_total", "Objects that self-checks found wrong").Add({})),
      preemptions_(&counters("total_preemption_attempts", "Searches of preempt that found victims").Add({})),
      action_latency_(
          gauges("action_scheduling_latency_milliseconds", "Time of an action in the last cycle")),
      fair_gpu_(gauges("queue_fair_share_gpu", "GPUs that a queue is entitled to")),
      fair_cpu_(gauges("queue_fair_share_cpu_cores", "Cores that a queue is entitled to")),
      fair_memory_(gauges("queue_fair_share_memory_gb", "Memory that a queue is entitled to, 10^9 bytes")),
      scheduled_(counters("podgroups_scheduled_by_action", "Jobs that an action placed")),
      acted_on_(counters("podgroups_acted_on_by_action", "Jobs that an action made room for")),
      simulated_(counters("scenarios_simulation_by_action", "Scenarios that an action simulated")),
      evicted_(counters("pod_group_evicted_pods_total", "Pods evicted")),
      requests_(counters("muster_api_requests_total", "Requests to the API server")),
      failed_writes_(counters("muster_failed_writes_total", "Decisions that could not be written")),
      nominations_(counters("scheduler_requeue_nominations_total", "Jobs nominated to give way")),
      nomination_skips_(
          counters("scheduler_requeue_nomination_skipped_total", "Jobs that were not nominated, and why")),
      requeue_commits_(counters("scheduler_requeue_commits_total", "Jobs that got room by requeue")),
      requeue_rollbacks_(
          counters("scheduler_requeue_rollbacks_total", "Jobs that requeue found no room for")),
      requeue_skips_(
          counters("scheduler_requeue_skipped_total", "Nominated jobs that were passed over, and why")),
      request_seconds_(histograms("muster_api_request_seconds", "Time of requests to the API server")) {}

void Metrics::cycle(const Cluster& cluster, const Decisions& decisions, std::chrono::nanoseconds took) {
  cycles_->Increment();
  e2e_->Set(in_milliseconds(took));
  open_->Set(decisions.open_milliseconds);
  pending_jobs_->Set(static_cast<double>(decisions.waiting.size()));
  for (const ActionStats& stats : decisions.actions) {
    action_latency_.Add({{"action", stats.action}}).Set(stats.milliseconds);
    simulated_.Add({{"action", stats.action}}).Increment(static_cast<double>(stats.scenarios_simulated));
  }
  std::set<JobId> placed;
  for (const BindDecision& bind : decisions.binds) placed.insert(cluster.task(bind.task).job);
  scheduled_.Add({{"action", "allocate"}}).Increment(static_cast<double>(placed.size()));
  std::map<std::string, std::set<JobId>> served;
  for (const EvictDecision& eviction : decisions.evictions)
    served[eviction.action].insert(eviction.contender);
  for (const auto& [action, jobs] : served) {
    acted_on_.Add({{"action", action}}).Increment(static_cast<double>(jobs.size()));
    if (action == "preempt") preemptions_->Increment(static_cast<double>(jobs.size()));
  }
  if (decisions.requeue) count_requeue(*decisions.requeue);
  set_shares(cluster, decisions);
  forget_evictions_before(Clock::now() - kEvictionsShown);
}

void Metrics::count_requeue(const RequeueRecord& record) {
  for (const Nomination& nomination : record.nominated)
    for (const std::string& plugin : nomination.by) nominations_.Add({{"plugin", plugin}}).Increment();
  for (const NominationSkip& skip : record.skipped)
    nomination_skips_.Add({{"plugin", skip.by}, {"reason", skip.reason}}).Increment();
  for (const RequeueAttempt& attempt : record.attempts)
    (attempt.is_commit ? requeue_commits_ : requeue_rollbacks_)
        .Add({{"nominated_by", attempt.nominators}})
        .Increment();
  for (const PassedOver& job : record.passed_over)
    requeue_skips_.Add({{"nominated_by", job.nominators}, {"reason", job.reason}}).Increment();
}

// A queue that is gone is no longer shown.
void Metrics::set_shares(const Cluster& cluster, const Decisions& decisions) {
  const double in_cycle = cycles_->Value();
  for (const QueueShare& share : decisions.shares) {
    const Queue& queue = cluster.queue(share.queue);
    auto [at, is_new] = fair_shares_.try_emplace({queue.name, queue.display_name});
    FairShare& shown = at->second;
    if (is_new) {
      const prometheus::Labels labels = {
          {"queue_name", queue.display_name.empty() ? queue.name : queue.display_name},
          {"queue_metadata_name", queue.name},
          {"queue_display_name", queue.display_name}};
      shown = {&fair_cpu_.Add(labels), &fair_memory_.Add(labels), &fair_gpu_.Add(labels), in_cycle};
    }
    shown.cpu->Set(share.fair_share[0] / 1000);
    shown.memory->Set(share.fair_share[1] / 1e9);
    shown.gpu->Set(share.fair_share[2]);
    shown.in_cycle = in_cycle;
  }
  std::erase_if(fair_shares_, [&](const auto& entry) {
    const FairShare& shown = entry.second;
    if (shown.in_cycle == in_cycle) return false;
    fair_cpu_.Remove(shown.cpu);
    fair_memory_.Remove(shown.memory);
    fair_gpu_.Remove(shown.gpu);
    return true;
  });
}

void Metrics::bound(std::chrono::nanoseconds since_created, std::chrono::nanoseconds write_took) {
  task_latency_->Observe(in_milliseconds(since_created));
  bind_latency_->Observe(in_milliseconds(write_took));
}

void Metrics::seen_before(std::chrono::nanoseconds bind) { watch_to_bind_->Observe(in_milliseconds(bind)); }

void Metrics::evicted(const Cluster& cluster, const EvictDecision& eviction) {
  const JobId id = cluster.task(eviction.task).job;
  if (!id.valid()) return;
  const Job& job = cluster.job(id);
  prometheus::Counter& count = evicted_.Add({{"podgroup", job.name},
                                             {"namespace", job.ns},
                                             {"uid", job.uid},
                                             {"nodepool", node_pool_},
                                             {"action", eviction.action}});
  count.Increment();
  const auto now = Clock::now();
  last_eviction_[&count] = now;
  evictions_by_age_.push_back({now, &count});
}

void Metrics::forget_evictions_before(Clock::time_point end) {
  for (; !evictions_by_age_.empty() && evictions_by_age_.front().last < end; evictions_by_age_.pop_front()) {
    const EvictionsOfJob oldest = evictions_by_age_.front();
    const auto found = last_eviction_.find(oldest.count);
    if (found == last_eviction_.end() || found->second != oldest.last) continue;
    evicted_.Remove(oldest.count);
    last_eviction_.erase(found);
  }
}

void Metrics::answered(const std::string& method, const std::string& resource, int status,
                       std::chrono::nanoseconds took) {
  requests_.Add({{"method", method}, {"resource", resource}, {"code", std::to_string(status)}}).Increment();
  if (method == "GET") return;
  request_seconds_.Add({{"method", method}}, doubling(0.001, 14))
      .Observe(std::chrono::duration<double>(took).count());
}

void Metrics::write_failed(const std::string& what) { failed_writes_.Add({{"write", what}}).Increment(); }

void Metrics::leads(bool is_leader) { leader_->Set(is_leader ? 1 : 0); }

void Metrics::left_out(std::int64_t objects) { unusable_->Set(static_cast<double>(objects)); }

void Metrics::checked() { self_checks_->Increment(); }

void Metrics::drifted(std::size_t objects) {
  drift_->Set(static_cast<double>(objects));
  drift_total_->Increment(static_cast<double>(objects));
}

void Metrics::queued(std::size_t binds, std::size_t evictions, std::size_t requests) {
  open_binds_->Set(static_cast<double>(binds));
  open_evictions_->Set(static_cast<double>(evictions));
  waiting_requests_->Set(static_cast<double>(requests));
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(registry_->Collect()); }

}  // namespace muster::serve
