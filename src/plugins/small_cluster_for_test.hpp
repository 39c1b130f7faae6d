// For tests of node filters and scores: a few nodes and pods, and a session with the plugin under test.
#pragma once

#include "engine/cycle/session.hpp"
#include "engine/place/allocation.hpp"
#include "engine/place/node_index.hpp"

namespace muster::plugins {

inline NodeObject node_object(std::string name, Labels labels = {}) {
  return {.meta = {.name = std::move(name), .labels = std::move(labels)},
          .allocatable = {{"cpu", 64'000}, {"memory", 1 << 30}, {"nvidia.com/gpu", 8'000}, {"pods", 110}}};
}

// A pending pod in a job with the pod's name.
inline PodObject pod_object(std::string name, Labels labels = {}, Constraints constraints = {}) {
  return {.meta = {.ns = "team", .name = name, .uid = name, .labels = std::move(labels)},
          .phase = PodPhase::kPending,
          .scheduler = "kai-scheduler",
          .pod_group = std::move(name),
          .constraints = std::move(constraints)};
}

inline PodObject running(PodObject pod, std::string node) {
  pod.phase = PodPhase::kRunning;
  pod.node = std::move(node);
  return pod;
}

inline PodAffinityTerm near_app(std::string app, std::string label, std::int32_t weight = 0) {
  return {.selector = {.present = true, .requirements = {{"app", Operator::kIn, {std::move(app)}}}},
          .topology_key = std::move(label),
          .weight = weight};
}

// REQUIRES: objects are added first, then open() is called, then the questions are asked.
class SmallCluster {
 public:
  explicit SmallCluster(PluginFactory plugin, ClusterOptions options = {}) : cluster_(std::move(options)) {
    policy_.plugins.push_back(std::move(plugin));
  }

  void also(PluginFactory plugin) { policy_.plugins.push_back(std::move(plugin)); }

  template <class Object>
  auto add(Object object) {
    return cluster_.apply(std::move(object));
  }
  Session& open() {
    session_.emplace(cluster_, policy_, TimePoint{});
    return *session_;
  }
  Session& session() { return *session_; }
  Cluster& cluster() { return cluster_; }

  // Why the node refuses the task, or nothing.
  std::optional<NodeRule> refusal(TaskId task, NodeId node) {
    auto refusal = refusal_of(*session_, cluster_.task(task).shape, node);
    if (!refusal) refusal = session_->hooks.node_filter(task, node);
    return refusal ? std::optional(refusal->rule) : std::nullopt;
  }

  // The node on which the task is placed, or "".
  std::string place(Statement& statement, TaskId task) {
    const std::vector<TaskId> tasks{task};
    if (allocate_or_refuse(*session_, statement, {.job = cluster_.task(task).job, .tasks = tasks})) return "";
    return cluster_.node(cluster_.placement(task).node).name;
  }

 private:
  Cluster cluster_;
  Policy policy_;
  std::optional<Session> session_;
};

}  // namespace muster::plugins
