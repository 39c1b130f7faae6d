// What the daemon's log says about requeue.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "model/cluster.hpp"
#include "model/requeue_record.hpp"
#include "serve/health/log.hpp"

namespace muster::serve {

class RequeueLog {
 public:
  explicit RequeueLog(Log& log) : log_(log) {}

  // Of one cycle. What was to be mended in the last cycle already is not said again.
  void tell(const Cluster& cluster, const RequeueRecord& record);

 private:
  Log& log_;
  std::set<std::pair<std::string, std::string>> to_mend_;  // uid of the job, text
};

}  // namespace muster::serve
