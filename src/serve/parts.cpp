// Builds the parts of the daemon from its options and connects them.
#include "serve/parts.hpp"

#include "kube/resource.hpp"
#include "serve/usage/embedded_source.hpp"
#include "serve/usage/prometheus_source.hpp"

namespace muster::serve {
namespace {

constexpr const char* kUsageConfigMap = "muster-usage";

// Returns null if past use is not configured.
std::unique_ptr<UsageSource> usage_source(const DaemonOptions& options, kube::Loop& loop,
                                          const WriteServices& write) {
  if (options.usage.is_prometheus())
    return std::make_unique<PrometheusSource>(loop, options.usage, options.usage_address,
                                              OwnMetrics{options.metrics_prefix, options.node_pool});
  if (!options.usage.is_embedded()) return nullptr;
  const std::string suffix = options.node_pool.empty() ? "" : "-" + options.node_pool;
  return std::make_unique<EmbeddedSource>(write, options.usage, options.ns, kUsageConfigMap + suffix);
}

}  // namespace

Services::Services(DaemonOptions daemon_options, kube::Credentials credentials, SourceListener& listener)
    : options(std::move(daemon_options)),
      log(options.verbosity, options.logs_json),
      metrics(options.metrics_prefix, options.node_pool),
      vitals(options.schedule_period),
      news(loop),
      client(loop, std::move(credentials),
             {.writes_per_second = options.writes_per_second,
              .burst = options.burst,
              .dry_run = options.dry_run}),
      views([this] { loop.post([this] { news.give(); }); }),
      snapshots([this] { loop.post([this] { news.give(); }); }),
      cluster(options.cluster),
      source(client, assumptions, log, listener,
             {.scheduler_name = options.scheduler_name,
              .binds_by_request = options.binding == Binding::kBindRequest,
              .keeps_ungrouped = options.groups_pods,
              .keeps_texts = !options.web.address.empty()}),
      events(client, log, options.scheduler_name),
      write{client, source, events, metrics, log, rush},
      groups(write),
      reservations(write, options.reservations),
      scaling(write, options.scaling),
      binder(write, groups, reservations, options.binding, {options.node_pool_label, options.node_pool}),
      evictor(write, groups, options.evict_by, options.marks_evicted_pods),
      sink(write, assumptions, {binder, evictor, groups}),
      status(write, groups, options.node_pool),
      notices(write, groups, options.reclaims_by_lca),
      job_status(write, options.binding == Binding::kDirect),
      queue_status(write, options.binding == Binding::kDirect),
      grouping(write, groups, {options.queue_label, options.node_pool_label, options.cluster}),
      self_check(write, {source, assumptions, groups},
                 {.cluster = options.cluster, .cycles_between = options.cycles_between_checks}),
      shadow(cluster, metrics, log),
      usage(write, options.usage, usage_source(options, loop, write), news) {
  client.on_credentials_error = [this](const std::string& text) { log.repeated_warning(text); };
  client.on_answer = [this](const kube::ApiRequest& request, int status_code, std::chrono::nanoseconds took) {
    metrics.answered(request.method, kube::resource_in(request.path), status_code, took);
  };
}

}  // namespace muster::serve
