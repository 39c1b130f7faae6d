// The source of the past use of queues: Prometheus, or muster's own history.
#pragma once

#include <optional>
#include <string>

#include "kube/async.hpp"
#include "usage/amounts.hpp"
#include "util/time.hpp"

namespace muster {
class Cluster;
}

namespace muster::serve {

struct UsageAnswer {
  std::optional<QueueUsage> shares;  // nullopt: unknown
  std::string trouble;               // "": none
  bool was_reached = true;           // false: worth waiting for
};

class UsageSource {
 public:
  virtual ~UsageSource() = default;

  virtual kube::Async<UsageAnswer> refresh(TimePoint now) = 0;
  // Observes what queues use from now on. Called between cycles.
  virtual void saw(const Cluster&, TimePoint /*now*/) {}
  // Called before the daemon ends.
  virtual kube::Async<void> finish() { co_return; }
};

// The time with fractions of a second, unlike times that are written into objects.
inline TimePoint exact_wall_clock() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace muster::serve
