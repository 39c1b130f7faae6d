// Requeue in the words of the log. requeue.md.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.hpp"
#include "model/requeue_record.hpp"

namespace muster {

struct RequeueLine {
  int verbosity = 0;        // said from this one on
  bool is_warning = false;  // something to mend: said once, not in every cycle
  std::string subject;      // uid of the job or queue
  std::string text;
};

// What there is to say of a cycle at this verbosity, in the order in which it happened:
//   3 who was requeued   4 what should be mended   5 who was nominated, who not, who was spared   6 what was
//   checked
std::vector<RequeueLine> requeue_lines(const Cluster& cluster, const RequeueRecord& record, int verbosity);

}  // namespace muster
