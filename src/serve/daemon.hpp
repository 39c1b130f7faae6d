// The scheduler of a live cluster: it watches, decides and writes until a signal ends it.
#pragma once

#include <string>
#include <vector>

#include "engine/cycle/policy.hpp"
#include "kube/credentials.hpp"
#include "model/cluster.hpp"
#include "serve/reload.hpp"
#include "serve/web/web_server.hpp"
#include "serve/write/binder.hpp"
#include "serve/write/evictor.hpp"
#include "serve/write/gpu_reservations.hpp"
#include "serve/write/scaling_pods.hpp"
#include "usage/settings.hpp"

namespace muster::serve {

struct DaemonOptions {
  std::string ns = "kai-scheduler";
  std::string scheduler_name = "kai-scheduler";
  std::string queue_label = "kai.scheduler/queue";
  std::string node_pool_label, node_pool;
  std::vector<std::string> default_queues;  // as JSON; empty: the default queues of KAI-Scheduler
  std::string listen_address = ":8080";
  WebAddress web;               // of the HTTP API; address "": the API is off
  bool web_asks_tokens = true;  // false: every client that reaches the API may read
  std::string metrics_prefix = "kai";
  Duration schedule_period = std::chrono::seconds(1);
  double writes_per_second = 0, burst = 0;  // 0: no limit
  bool elects_leader = false;
  bool groups_pods = true;
  bool logs_json = false;
  ReservationOptions reservations;
  ScalingOptions scaling;
  bool shadow = false;   // decides alongside another scheduler and writes nothing
  bool dry_run = false;  // the API server validates every write and stores none
  int verbosity = 3;
  Binding binding = Binding::kDirect;
  EvictBy evict_by = EvictBy::kDelete;
  bool marks_evicted_pods = false;
  int cycles_between_checks = 1000;  // 0: never compare the model with a fresh list, except on SIGUSR1
  bool reclaims_by_lca = true;       // reclaimResolveMethod of the plugin minruntime, for notices
  ClusterOptions cluster;
  std::string config;               // the effective configuration, as JSON
  ConfigurationFile configuration;  // reread when it changes
  UsageSettings usage;
  std::string usage_address;  // of Prometheus, if past use comes from there
};

// Blocks until the scheduler ends. Returns the exit status of the process: 0 after SIGTERM or SIGINT; 3 if
// the lease was lost, a server could not start, or an essential task failed.
int run_daemon(DaemonOptions options, Policy policy, kube::Credentials credentials);

}  // namespace muster::serve
