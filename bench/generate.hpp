// Generates clusters from a few numbers, always the same ones, for all benchmarks.
#pragma once

#include <optional>
#include <vector>

#include "manifest/manifest.hpp"
#include "model/cluster.hpp"

namespace muster::bench {

// All running jobs are in one queue, all pending ones in another. Neither gets GPUs beyond its quota.
struct Contest {
  double running_quota = 0, pending_quota = 0;  // GPUs
};

// Equal nodes, departments with leaf queues of equal GPU quota, and jobs spread over queues and nodes in
// turn.
struct ClusterShape {
  int nodes = 100;
  int gpus = 8;
  int departments = 2;
  int queues = 4;
  int running = 0;  // jobs of one pod with one GPU
  int overdue = 0;  // of these, spread evenly, jobs past their expected runtime
  int pinned = 0;   // of these, the first ones, which are not evictable
  int pending = 0;  // jobs
  int pending_pods = 1;
  int pending_gpus = 1;           // per pod
  int pending_large = 0;          // of the pending jobs, the first ones: each pod takes all GPUs of a node
  bool pending_outranks = false;  // pending jobs have a higher priority than running ones
  double pending_fraction = 0;    // of one GPU per pod, instead of whole GPUs
  int racks = 0;                  // with as many zones as racks in a zone; 0: no topology
  std::vector<TopologyConstraint> topologies = {};  // of pending jobs, in turn
  int foreign = 0;                                  // small CPU pods of another scheduler, per node
  std::optional<Contest> contest = {};              // instead of departments and queues
};

// The time of all benchmarks: 2025-06-01 12:00.
TimePoint now();

void generate(const ClusterShape& shape, const ObjectSink& sink);
Cluster make_cluster(const ClusterShape& shape);

// Pod `index` of another scheduler, as in generate().
PodObject foreign_pod(const ClusterShape& shape, int index);

}  // namespace muster::bench
