// Who knows the past use of queues: Prometheus, or a history of our own.
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
  std::optional<QueueUsage> shares;  // nothing: not known
  std::string trouble;               // "": none
  bool was_reached = true;           // there is nothing to wait for
};

class UsageSource {
 public:
  virtual ~UsageSource() = default;

  virtual kube::Async<UsageAnswer> refresh(TimePoint now) = 0;
  // What queues hold from now on; between cycles.
  virtual void saw(const Cluster&, TimePoint /*now*/) {}
  // Before the daemon ends.
  virtual kube::Async<void> finish() { co_return; }
};

// With fractions of a second, unlike what is written into objects.
inline TimePoint exact_wall_clock() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace muster::serve
