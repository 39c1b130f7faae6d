// What the daemon's log says about requeue.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace muster {
class Cluster;
struct RequeueRecord;
}  // namespace muster

namespace muster::serve {

class Log;

class RequeueLog {
 public:
  explicit RequeueLog(Log& log) : log_(log) {}

  // Of one cycle. What was to be mended in the last cycle already is not said again.
  void tell(const Cluster& cluster, const RequeueRecord& record);

 private:
  Log& log_;
  std::set<std::pair<std::string, std::string>> to_mend_;  // uid of the job or queue, text
};

}  // namespace muster::serve
