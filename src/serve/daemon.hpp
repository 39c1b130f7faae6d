// The scheduler of a live cluster: watches, decides, writes, until it is told to stop.
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
  std::vector<std::string> default_queues;  // as JSON; empty: those that KAI-Scheduler ships
  std::string listen_address = ":8080";
  WebAddress web;               // of the interface; address "": there is none
  bool web_asks_tokens = true;  // else whoever reaches it may read
  std::string metrics_prefix = "kai";
  Duration schedule_period = std::chrono::seconds(1);
  double writes_per_second = 0, burst = 0;  // 0: no limit
  bool elects_leader = false;
  bool groups_pods = true;
  bool logs_json = false;
  ReservationOptions reservations;
  ScalingOptions scaling;
  bool shadow = false;   // decides beside another scheduler, and writes nothing at all
  bool dry_run = false;  // every write is checked by the API server, and none is stored
  int verbosity = 3;
  Binding binding = Binding::kDirect;
  EvictBy evict_by = EvictBy::kDelete;
  bool marks_evicted_pods = false;
  int cycles_between_checks = 1000;  // 0: never compare the model with a fresh list, except on SIGUSR1
  bool reclaims_by_lca = true;       // what minimum runtimes are checked for
  ClusterOptions cluster;
  std::string config;               // what is in force, as JSON
  ConfigurationFile configuration;  // looked at again now and then
  UsageSettings usage;
  std::string usage_address;  // of Prometheus, where past use comes from there
};

// Blocks. The exit code of the process: 0 after SIGTERM or SIGINT, 3 where the lead was lost, nothing could
// start, or a task that the scheduler needs has failed.
int run_daemon(DaemonOptions options, Policy policy, kube::Credentials credentials);

}  // namespace muster::serve
