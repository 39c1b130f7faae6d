// Defers pending jobs that come after similar jobs in their queue. While the free resources cannot serve
// those jobs, cycles decide nothing about the later ones, so a simulated future can skip them. In a long
// queue, these are most of the jobs.
#pragma once

#include <vector>

#include "model/cluster.hpp"

namespace muster::answers {

// Jobs of one queue with the same requests and settings, in the order in which they are served.
struct Alike {
  std::vector<JobId> jobs;
  Request request;        // of one pod
  std::int64_t pods = 0;  // that must start together
};

// The groups of similar jobs of a settled cluster. Several futures can share them. A job that is unlike all
// others, or that was evicted or requeued before, is in no group.
std::vector<Alike> lines_of(const Cluster& cluster);

// The deferred jobs of one future on its own copy of the cluster.
class DeferredJobs {
 public:
  explicit DeferredJobs(const std::vector<Alike>& lines);

  // Call right before a cycle. Returns the jobs to skip: all but those that the free resources could serve,
  // and a few more.
  const IdSet<JobId>& look(const Cluster& cluster);

 private:
  // Positions in the group: jobs that are placed, and jobs that are considered.
  struct View {
    std::size_t served = 0, seen = 0;
    std::size_t spare = 1;  // considered beyond what is free, as evictions can make room for some
  };
  const std::vector<Alike>& lines_;
  std::vector<View> views_;
  IdSet<JobId> far_;
};

}  // namespace muster::answers
