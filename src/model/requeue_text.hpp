// Writes the log lines of requeue. requeue.md.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.hpp"
#include "model/requeue_record.hpp"

namespace muster {

struct RequeueLine {
  int verbosity = 0;        // lowest verbosity at which it is logged
  bool is_warning = false;  // something to correct: logged once, not in every cycle
  std::string subject;      // uid of the job or queue
  std::string text;
};

// The log lines of a cycle at this verbosity, in the order of events:
//   3 requeued jobs
//   4 settings to correct
//   5 nominated, skipped and passed-over jobs
//   6 eligibility checks
std::vector<RequeueLine> requeue_lines(const Cluster& cluster, const RequeueRecord& record, int verbosity);

}  // namespace muster
