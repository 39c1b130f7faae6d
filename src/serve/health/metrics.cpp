// Registers the Prometheus counters, gauges and histograms, and updates them.
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
constexpr auto kShortLife = std::chrono::seconds(10);

Histogram::BucketBoundaries doubling(double first, int count) {
  Histogram::BucketBoundaries bounds;
  for (int i = 0; i < count; ++i, first *= 2) bounds.push_back(first);
  return bounds;
}

double in_milliseconds(std::chrono::nanoseconds d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

// Divisors from the model's units: milli-cores, bytes and devices.
constexpr Shares kCoresAndBytes = {1000, 1, 1}, kCoresAndGigabytes = {1000, 1e9, 1};

void set_gauges(const std::array<prometheus::Gauge*, 3>& gauges, const Shares& values, const Shares& units) {
  for (std::size_t i = 0; i < gauges.size(); ++i) gauges[i]->Set(values[i] / units[i]);
}

prometheus::Labels labels_of(const Queue& queue, const std::string& name) {
  return {
      {"queue_name", name}, {"queue_metadata_name", queue.name}, {"queue_display_name", queue.display_name}};
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
      e2e_(&gauges("e2e_scheduling_latency_milliseconds", "Duration of the last cycle").Add({})),
      open_(
          &gauges("open_session_latency_milliseconds", "Time to open the session of the last cycle").Add({})),
      leader_(&gauges("muster_leader", "1 while this replica may write").Add({})),
      drift_(&gauges("muster_drift_objects", "Objects that the last self-check found wrong").Add({})),
      open_binds_(&gauges("muster_open_binds", "Binds that the watch has not shown yet").Add({})),
      open_evictions_(&gauges("muster_open_evictions", "Evictions that the watch has not shown yet").Add({})),
      interned_(
          &gauges("muster_interned", "Names and shapes that the model keeps for existing objects").Add({})),
      waiting_requests_(
          &gauges("muster_waiting_requests", "Requests that wait for a free connection").Add({})),
      pending_jobs_(&gauges("muster_waiting_jobs", "Pending jobs").Add({})),
      unusable_(&gauges("muster_unusable_objects", "Objects that could not be read since the start").Add({})),
      free_gpus_(&gauges("muster_free_gpus", "Free GPUs, including free parts of shared GPUs").Add({})),
      fragmented_gpus_(&gauges("muster_fragmented_gpus", "Free GPUs that typical pods cannot use").Add({})),
      task_latency_(
          &histograms("task_scheduling_latency_milliseconds", "Time from a pod's creation to its bind")
               .Add({}, doubling(5, 10))),
      bind_latency_(
          &histograms("task_bind_latency_milliseconds", "Time to write a bind").Add({}, doubling(5, 10))),
      watch_to_bind_(&histograms("muster_watch_to_bind_milliseconds",
                                 "Time from the first watch event of a pod to its bind")
                          .Add({}, doubling(1, 16))),
      cycles_(&counters("muster_cycles_total", "Cycles run").Add({})),
      self_checks_(
          &counters("muster_self_checks_total", "Comparisons of the model with a fresh list").Add({})),
      drift_total_(&counters("muster_drift_objects_total", "Objects that self-checks found wrong").Add({})),
      rivals_(&counters("muster_rival_decisions_total",
                        "Decisions by other schedulers about pods of this scheduler")
                   .Add({})),
      short_lived_(&counters("muster_short_lived_pods_total", "Pods evicted within 10 s of their job's start")
                        .Add({})),
      preemptions_(
          &counters("total_preemption_attempts", "Searches of action preempt that found victims").Add({})),
      action_latency_(
          gauges("action_scheduling_latency_milliseconds", "Duration of an action in the last cycle")),
      scheduled_(counters("podgroups_scheduled_by_action", "Jobs that an action placed")),
      acted_on_(counters("podgroups_acted_on_by_action", "Jobs that an action made room for")),
      simulated_(counters("scenarios_simulation_by_action", "Scenarios that an action simulated")),
      evicted_(counters("pod_group_evicted_pods_total", "Pods evicted")),
      evicted_by_action_(counters("muster_evicted_pods_total", "Pods evicted by an action")),
      requests_(counters("muster_api_requests_total", "Requests to the API server")),
      failed_writes_(counters("muster_failed_writes_total", "Decisions that could not be written")),
      nominations_(counters("scheduler_requeue_nominations_total", "Jobs nominated for requeue")),
      nomination_skips_(
          counters("scheduler_requeue_nomination_skipped_total", "Jobs that were not nominated, by reason")),
      requeue_commits_(counters("scheduler_requeue_commits_total", "Jobs that requeue made room for")),
      requeue_would_commit_(counters("scheduler_requeue_would_commit_total",
                                     "Jobs that requeue would have made room for without its dry run")),
      requeue_rollbacks_(
          counters("scheduler_requeue_rollbacks_total", "Jobs that requeue found no room for")),
      requeue_skips_(
          counters("scheduler_requeue_skipped_total", "Nominated jobs that requeue skipped, by reason")),
      request_seconds_(histograms("muster_api_request_seconds", "Duration of requests to the API server")),
      usage_latency_(histograms("usage_query_latency_milliseconds", "Time to read past use")),
      usage_errors_(counters("muster_usage_errors_total", "Failed attempts to read past use")),
      reloads_(counters("muster_config_reloads_total", "Changed configurations that were read")),
      reload_is_good_(&gauges("muster_config_last_reload_successful",
                              "1 if the configuration file is in effect, 0 if it was rejected")
                           .Add({})),
      usage_age_(gauges("muster_usage_age_seconds", "Age of the past use in effect")),
      run_seconds_(
          gauges("muster_job_run_seconds", "Run time of the last jobs of a queue and user that ended")),
      fair_{&gauges("queue_fair_share_cpu_cores", "Cores that a queue is entitled to"),
            &gauges("queue_fair_share_memory_gb", "Memory that a queue is entitled to, 10^9 bytes"),
            &gauges("queue_fair_share_gpu", "GPUs that a queue is entitled to")},
      allocated_{&gauges("queue_allocated_cpu_cores", "Cores that a queue uses"),
                 &gauges("queue_allocated_memory_bytes", "Memory that a queue uses"),
                 &gauges("queue_allocated_gpus", "GPUs that a queue uses")},
      used_{&gauges("queue_cpu_usage", "Past use of a queue, as a share of the capacity"),
            &gauges("queue_memory_usage", "Past use of a queue, as a share of the capacity"),
            &gauges("queue_gpu_usage", "Past use of a queue, as a share of the capacity")},
      capacity_{&gauges("muster_capacity_cpu_cores", "Cores distributed among queues"),
                &gauges("muster_capacity_memory_bytes", "Memory distributed among queues"),
                &gauges("muster_capacity_gpus", "GPUs distributed among queues")} {
  show_counters_at_zero();
}

// Creates counters at zero: rate() ignores a first increment that creates the series.
void Metrics::show_counters_at_zero() {
  for (const char* write : {"bind", "evict", "annotate"}) failed_writes_.Add({{"write", write}});
  scheduled_.Add({{"action", "allocate"}});
  for (const char* action : {"consolidation", "reclaim", "preempt", "requeue"})
    acted_on_.Add({{"action", action}});
  for (const char* action : {"consolidation", "reclaim", "preempt", "requeue", "stalegangeviction"})
    evicted_by_action_.Add({{"action", action}});
  for (Counters* family : {&requeue_commits_, &requeue_would_commit_, &requeue_rollbacks_})
    family->Add({{"nominated_by", "expectedruntime"}});
  nominations_.Add({{"plugin", "expectedruntime"}});
  usage_errors_.Add({});
  for (const char* result : {"applied", "refused"}) reloads_.Add({{"result", result}});
  reload_is_good_->Set(1);
}

void Metrics::cycle(const Cluster& cluster, const Decisions& decisions, std::chrono::nanoseconds took,
                    const QueueUsage* used) {
  cycles_->Increment();
  e2e_->Set(in_milliseconds(took));
  open_->Set(decisions.open_milliseconds);
  interned_->Set(static_cast<double>(cluster.interned()));
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
    served[eviction.action].insert(eviction.preemptor);
  for (const EvictDecision& eviction : decisions.evictions)
    if (eviction.runtime_lost && *eviction.runtime_lost < kShortLife) short_lived_->Increment();
  for (const auto& [action, jobs] : served) {
    acted_on_.Add({{"action", action}}).Increment(static_cast<double>(jobs.size()));
    if (action == "preempt") preemptions_->Increment(static_cast<double>(jobs.size()));
  }
  if (decisions.requeue) count_requeue(*decisions.requeue);
  show_queues(cluster, decisions, used);
  show_fragments(decisions);
  forget_evictions_before(Clock::now() - kEvictionsShown);
}

void Metrics::count_requeue(const RequeueRecord& record) {
  for (const Nomination& nomination : record.nominated)
    for (const std::string& plugin : nomination.by) nominations_.Add({{"plugin", plugin}}).Increment();
  for (const NominationSkip& skip : record.skipped)
    nomination_skips_.Add({{"plugin", skip.by}, {"reason", skip.reason}}).Increment();
  for (const RequeueAttempt& attempt : record.attempts)
    if (!attempt.found_room || record.is_dry_run)
      (attempt.found_room ? requeue_would_commit_ : requeue_rollbacks_)
          .Add({{"nominated_by", attempt.nominators}})
          .Increment();
  for (const PassedOver& job : record.passed_over)
    requeue_skips_.Add({{"nominated_by", job.nominators}, {"reason", job.reason}}).Increment();
}

// Both remain 0 without the plugin fragmentation.
void Metrics::show_fragments(const Decisions& decisions) {
  FreeGpus sum;
  for (const NodeFragments& of_node : decisions.fragments) {
    sum.free += of_node.gpus.free;
    sum.fragmented += of_node.gpus.fragmented;
  }
  free_gpus_->Set(sum.free);
  fragmented_gpus_->Set(sum.fragmented);
}

Metrics::OfResources Metrics::GaugeFamilies::add(const std::map<std::string, std::string>& labels) const {
  return {&all[0]->Add(labels), &all[1]->Add(labels), &all[2]->Add(labels)};
}

void Metrics::GaugeFamilies::remove(const OfResources& shown) const {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (shown[i] != nullptr) all[i]->Remove(shown[i]);
}

// As in KAI-Scheduler, the label is the queue's name for resources in use, and its display name for all
// others.
void Metrics::show_queues(const Cluster& cluster, const Decisions& decisions, const QueueUsage* used) {
  set_gauges(capacity_.add({{"nodepool", node_pool_}}), cluster.total().shares(), kCoresAndBytes);
  for (const QueueShare& share : decisions.shares) {
    const Queue& queue = cluster.queue(share.queue);
    ShownQueue& shown = shown_queues_[{queue.name, queue.display_name}];
    if (shown.fair[0] == nullptr) shown.fair = fair_.add(labels_of(queue, queue.shown_name()));
    if (shown.allocated[0] == nullptr) shown.allocated = allocated_.add(labels_of(queue, queue.name));
    set_gauges(shown.fair, share.fair_share, kCoresAndGigabytes);
    set_gauges(shown.allocated, cluster.use(share.queue).allocated.shares(), kCoresAndBytes);
    shown.in_cycle = cycles_->Value();
    if (used == nullptr) continue;
    if (shown.used[0] == nullptr) shown.used = used_.add(labels_of(queue, queue.shown_name()));
    const auto found = used->find(queue.name);
    set_gauges(shown.used, found == used->end() ? Shares{} : found->second, {1, 1, 1});
  }
  forget_queues_not_shown();
}

void Metrics::forget_queues_not_shown() {
  std::erase_if(shown_queues_, [&](const auto& entry) {
    const ShownQueue& shown = entry.second;
    if (shown.in_cycle == cycles_->Value()) return false;
    fair_.remove(shown.fair);
    allocated_.remove(shown.allocated);
    used_.remove(shown.used);
    return true;
  });
}

void Metrics::usage_refreshed(std::chrono::nanoseconds took) {
  usage_latency_.Add({}, doubling(5, 10)).Observe(in_milliseconds(took));
}

void Metrics::usage_failed() { usage_errors_.Add({}).Increment(); }

void Metrics::usage_age(std::chrono::nanoseconds age) {
  usage_age_.Add({}).Set(std::chrono::duration<double>(age).count());
}

void Metrics::run_times(const answers::RunFigureTable& figures) {
  std::erase_if(shown_run_times_, [&](const auto& entry) {
    if (figures.contains(entry.first)) return false;
    run_seconds_.Remove(entry.second.median);
    run_seconds_.Remove(entry.second.p90);
    return true;
  });
  for (const auto& [who, runs] : figures) {
    ShownRunTimes& shown = shown_run_times_[who];
    if (shown.median == nullptr) {
      const auto gauge = [&, &whose = who](const char* quantile) {
        return &run_seconds_.Add(
            {{"queue_name", whose.first}, {"user", whose.second}, {"quantile", quantile}});
      };
      shown = {.median = gauge("0.5"), .p90 = gauge("0.9")};
    }
    shown.median->Set(std::chrono::duration<double>(runs.median).count());
    shown.p90->Set(std::chrono::duration<double>(runs.p90).count());
  }
}

void Metrics::bound(std::chrono::nanoseconds since_created, std::chrono::nanoseconds write_took) {
  task_latency_->Observe(in_milliseconds(since_created));
  bind_latency_->Observe(in_milliseconds(write_took));
}

void Metrics::seen_before(std::chrono::nanoseconds bind) { watch_to_bind_->Observe(in_milliseconds(bind)); }

void Metrics::shadowed(const std::map<std::string, std::int64_t>& pods, double agreement_percent) {
  Gauges& counts =
      gauges("muster_shadow_pods", "Pods by how the other scheduler's decision compares with muster's");
  for (const auto& [outcome, count] : pods)
    counts.Add({{"outcome", outcome}}).Set(static_cast<double>(count));
  gauges("muster_shadow_agreement_percent",
         "Share of the pods decided by both schedulers on which they agree")
      .Add({})
      .Set(agreement_percent);
}

void Metrics::rival_decided() { rivals_->Increment(); }

void Metrics::requeue_committed(const std::string& nominators) {
  requeue_commits_.Add({{"nominated_by", nominators}}).Increment();
}

void Metrics::evicted(const EvictedFrom& job, const std::string& action) {
  evicted_by_action_.Add({{"action", action}}).Increment();
  prometheus::Counter& count = evicted_.Add({{"podgroup", job.name},
                                             {"namespace", job.ns},
                                             {"uid", job.uid},
                                             {"nodepool", node_pool_},
                                             {"action", action}});
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

void Metrics::reloaded(bool is_good) {
  reloads_.Add({{"result", is_good ? "applied" : "refused"}}).Increment();
  reload_is_good_->Set(is_good ? 1 : 0);
}

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
