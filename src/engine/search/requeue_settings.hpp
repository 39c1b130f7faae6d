// Requeue settings of a job or of the queues above it: the first one found counts. requeue.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cluster.hpp"

namespace muster {

// The unparsed value. Nullopt: the job did not opt in, or opted out of its queue's setting with a zero.
std::optional<std::string> expected_runtime(const Cluster& cluster, JobId job);

struct RequeueDelay {
  std::optional<Duration> given;  // nullopt: the default applies
  std::string problem;            // quotes the invalid value
};
RequeueDelay requeue_delay(const Cluster& cluster, JobId job);

// The problems of a queue's defaults. Invalid defaults count as unset for its jobs, and are reported only for
// the queue.
std::vector<std::string> requeue_problems(const Queue& queue);

}  // namespace muster
