// Events about queues, for those who run `kubectl describe queue`.
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

  // What is to be mended on a queue: said when it appears, not in every cycle.
  void tell(const Cluster& cluster, const RequeueRecord& record);

 private:
  Events& events_;
  std::set<std::pair<std::string, std::string>> told_;  // uid of the queue, text
};

}  // namespace muster::serve
