// What a job or the queues above it say about giving way: the first that says anything counts. requeue.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cluster.hpp"

namespace muster {

// As it is written. Nothing: the job did not opt in, or opted out of what its queue says with a zero.
std::optional<std::string> expected_runtime(const Cluster& cluster, JobId job);

struct RequeueDelay {
  std::optional<Duration> given;  // nothing: the default serves
  std::string problem;            // with what is written
};
RequeueDelay requeue_delay(const Cluster& cluster, JobId job);

// What is wrong with the defaults that a queue sets, with what is written. Jobs take them for unset, and it
// is not said of each of them.
std::vector<std::string> requeue_problems(const Queue& queue);

}  // namespace muster
