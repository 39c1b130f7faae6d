// Decisions as writes to the API server: all at once, each until it is done or can not be.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>

#include "kube/api_client.hpp"
#include "kube/latch.hpp"
#include "model/source.hpp"
#include "serve/assumptions.hpp"
#include "serve/events.hpp"
#include "serve/live_source.hpp"
#include "serve/log.hpp"
#include "serve/metrics.hpp"
#include "serve/protected_jobs.hpp"

namespace muster::serve {

enum class Binding { kDirect, kBindRequest };
enum class EvictBy { kDelete, kEvictionApi };

struct SinkOptions {
  Binding binding = Binding::kDirect;
  EvictBy evict_by = EvictBy::kDelete;
  bool marks_evicted_pods = false;  // condition DisruptionTarget before an eviction
  std::string node_pool_label, node_pool;
};

class LiveSink final : public DecisionSink {
 public:
  struct Parts {
    kube::ApiClient& client;
    LiveSource& source;
    Assumptions& assumptions;
    Events& events;
    Metrics& metrics;
    Log& log;
  };
  LiveSink(const Parts& parts, SinkOptions options) : p_(parts), options_(std::move(options)) {}

  // What is decided is assumed to have happened: to be called before anything else is told to the cluster.
  void assume(Cluster& cluster, const Decisions& decisions, TimePoint now);
  void carry_out(const Cluster& cluster, const Decisions& decisions, TimePoint now) override;

  // Annotations of a PodGroup that are no decision of a cycle.
  void annotate(const std::string& ns, const std::string& name, const AnnotationChanges& changes);

  // The binder gave up: without its request the pod waits again.
  void remove_bind_request(const std::string& ns, const std::string& name);

  // Writes under way or waiting.
  int open_writes() const { return open_writes_; }
  const ProtectedJobs& protected_jobs() const { return protected_jobs_; }
  // What budgets refused since the last call counts from now on. Not while a cycle runs.
  void note_protected_jobs();

 private:
  // Annotations of a PodGroup on their way.
  struct Patching {
    kube::Latch done;
    bool failed = false;
  };
  struct PodWrite {
    std::string ns, name, uid, job, job_uid;
    TimePoint created{};
  };
  struct Bind {
    PodWrite pod;
    std::string node, sub_group;
    std::vector<std::string> gpu_groups;
    std::vector<ClaimAllocation> claims;
    std::string received_type;
    std::string portion;
    int devices = 0;
    bool group_is_assumed = false;
  };
  struct Evict {
    PodWrite pod;
    std::string action, contender, contender_ns, message;
    std::shared_ptr<Patching> after = nullptr;  // the eviction must not be seen before these annotations
  };

  PodWrite pod_of(const Cluster& cluster, TaskId task) const;
  Bind bind_of(const Cluster& cluster, const BindDecision& decision) const;
  Evict evict_of(const Cluster& cluster, const EvictDecision& decision) const;
  kube::ApiRequest binding_request(const Bind& bind) const;
  kube::ApiRequest bind_request_request(const Bind& bind) const;
  kube::ApiRequest eviction_request(const Evict& evict) const;

  kube::Async<void> bind(Bind bind);
  kube::Async<void> evict(Evict evict);
  kube::Async<void> mark_disruption(const Evict& evict);
  kube::Async<void> delete_bind_request(std::string ns, std::string name);
  kube::Async<void> patch_group(std::string ns, std::string name, std::shared_ptr<Patching> patching);
  // Reads the pod again after a write that can not tell what became of it.
  kube::Async<bool> look_at(const PodWrite& pod);
  void record_scheduled(const Bind& bind);
  void record_eviction(const Evict& evict);

  const Parts p_;
  const SinkOptions options_;
  ProtectedJobs protected_jobs_;
  std::vector<std::pair<std::string, TimePoint>> newly_protected_;
  absl::flat_hash_map<std::string, AnnotationChanges> patches_;           // "ns/name": not sent yet
  absl::flat_hash_map<std::string, std::shared_ptr<Patching>> patching_;  // "ns/name": somebody sends them
  int open_writes_ = 0;
};

}  // namespace muster::serve
