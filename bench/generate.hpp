// Clusters made up from a few numbers, always the same ones: the material of all benchmarks.
#pragma once

#include <optional>
#include <vector>

#include "manifest/manifest.hpp"
#include "model/cluster.hpp"

namespace muster::bench {

// All running jobs in one queue, all waiting ones in another; nothing beyond quota for either.
struct Contest {
  double running_quota = 0, pending_quota = 0;  // GPUs
};

// Equal nodes, departments with leaf queues of equal GPU quota, jobs spread over queues and nodes in turn.
struct ClusterShape {
  int nodes = 100;
  int gpus = 8;
  int departments = 2;
  int queues = 4;
  int running = 0;  // jobs of one pod with one GPU
  int overdue = 0;  // of these, spread evenly: past their expected runtime
  int pinned = 0;   // of these, the first ones: may not be evicted
  int pending = 0;  // jobs
  int pending_pods = 1;
  int pending_gpus = 1;           // per pod
  int pending_large = 0;          // of the jobs, the first ones: take all GPUs of a node per pod
  bool pending_outranks = false;  // has a higher priority than what runs
  double pending_fraction = 0;    // of one GPU per pod, instead of whole ones
  int racks = 0;                  // as many zones as a zone has racks; 0: no topology
  std::vector<TopologyConstraint> topologies = {};  // of waiting jobs, in turn
  int foreign = 0;                                  // small CPU pods of another scheduler, per node
  std::optional<Contest> contest = {};              // instead of departments and queues
};

// The instant of all benchmarks: 2025-06-01 12:00.
TimePoint now();

void generate(const ClusterShape& shape, const ObjectSink& sink);
Cluster make_cluster(const ClusterShape& shape);

// Pod `index` of another scheduler, as generate() makes them.
PodObject foreign_pod(const ClusterShape& shape, int index);

}  // namespace muster::bench
