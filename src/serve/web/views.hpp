// What the cluster was like at one moment, for threads that answer questions: a copy, made between two cycles
// when somebody asks, so that no reader ever keeps a cycle waiting.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"

namespace muster::serve {

struct ClusterView {
  Cluster cluster;
  Policy policy;
  TimePoint now{};
};

class Views {
 public:
  // `wake`: may be called from any thread, and has answer() called soon.
  explicit Views(std::function<void()> wake) : wake_(std::move(wake)) {}

  // From any thread but the loop's: waits for a view that is no older than a second. Null: none came in time.
  std::shared_ptr<const ClusterView> ask();

  // Nobody waits any longer.
  void close();

  // On the loop's thread, when no cycle runs.
  bool is_asked() const;
  void answer(std::shared_ptr<const ClusterView> view);

 private:
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<const ClusterView> view_;
  std::chrono::steady_clock::time_point made_{};
  bool is_asked_ = false, is_closed_ = false;
};

}  // namespace muster::serve
