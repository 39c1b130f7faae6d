// Writes events about queues, shown by `kubectl describe queue`.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "serve/write/events.hpp"

namespace muster {
class Cluster;
struct Queue;
struct RequeueRecord;
}  // namespace muster

namespace muster::serve {

ObjectReference reference_to(const Queue& queue);

class QueueNotices {
 public:
  explicit QueueNotices(Events& events) : events_(events) {}

  // Reports ignored settings of queues: once when they appear, not in every cycle.
  void report(const Cluster& cluster, const RequeueRecord& record);

 private:
  Events& events_;
  std::set<std::pair<std::string, std::string>> reported_;  // uid of the queue, text
};

}  // namespace muster::serve
