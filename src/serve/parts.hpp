// What the daemon is made of, in the order in which it is made: who reads, who writes, who checks.
#pragma once

#include "kube/api_client.hpp"
#include "kube/waiting.hpp"
#include "model/cluster.hpp"
#include "serve/check/cycle_snapshot.hpp"
#include "serve/check/self_check.hpp"
#include "serve/check/shadow.hpp"
#include "serve/daemon.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/health/vitals.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/live_source.hpp"
#include "serve/usage/usage_keeper.hpp"
#include "serve/web/run_times.hpp"
#include "serve/web/views.hpp"
#include "serve/write/binder.hpp"
#include "serve/write/events.hpp"
#include "serve/write/evictor.hpp"
#include "serve/write/gpu_reservations.hpp"
#include "serve/write/job_status.hpp"
#include "serve/write/live_sink.hpp"
#include "serve/write/notice_writer.hpp"
#include "serve/write/pod_group_writer.hpp"
#include "serve/write/pod_grouping.hpp"
#include "serve/write/queue_status.hpp"
#include "serve/write/rush.hpp"
#include "serve/write/scaling_pods.hpp"
#include "serve/write/status_writer.hpp"

namespace muster::serve {

// Everything belongs to the thread of `loop`, but for `cluster`, which a cycle has to itself while it runs,
// and what other threads may ask: `vitals`, the text of `metrics`, `views` and `snapshots`.
struct Parts {
  Parts(DaemonOptions options, kube::Credentials credentials, SourceListener& listener);

  const DaemonOptions options;
  Log log;
  Metrics metrics;
  Vitals vitals;
  kube::Loop loop;
  kube::Signal news;  // there is something to look at
  kube::ApiClient client;
  Views views;
  Asked<CycleSnapshot> snapshots;
  RunTimes run_times;

  Cluster cluster;
  Assumptions assumptions;
  LiveSource source;

  Events events;
  Rush rush;
  const WriteParts write;
  PodGroupWriter groups;
  GpuReservations reservations;
  ScalingPods scaling;
  Binder binder;
  Evictor evictor;
  LiveSink sink;
  StatusWriter status;
  NoticeWriter notices;
  JobStatus job_status;
  QueueStatus queue_status;
  PodGrouping grouping;

  SelfCheck self_check;
  Shadow shadow;
  UsageKeeper usage;
};

}  // namespace muster::serve
