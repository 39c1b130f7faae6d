// The parts of the daemon in the order of their construction: readers, writers, checks.
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
#include "serve/write/backpressure.hpp"
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
#include "serve/write/scaling_pods.hpp"
#include "serve/write/status_writer.hpp"

namespace muster::serve {

// Everything belongs to the thread of `loop`, with two exceptions: `cluster` belongs to the cycle while one
// runs, and other threads may read `vitals`, the text of `metrics`, `views` and `snapshots`.
struct Services {
  Services(DaemonOptions options, kube::Credentials credentials, SourceListener& listener);

  const DaemonOptions options;
  Log log;
  Metrics metrics;
  Vitals vitals;
  kube::Loop loop;
  kube::Signal news;  // wakes the loop of cycles
  kube::ApiClient client;
  Views views;
  Asked<CycleSnapshot> snapshots;
  RunTimes run_times;

  Cluster cluster;
  Assumptions assumptions;
  LiveSource source;

  Events events;
  WriteBackpressure rush;
  const WriteServices write;
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
