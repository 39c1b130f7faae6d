// A cluster of mixed GPU nodes and the pods that come to it: from the CSV files of the public trace
// (alibaba/clusterdata, cluster-trace-gpu-v2023), or made up by a seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "util/result.hpp"

namespace muster::bench::openb {

struct Machine {
  std::string name;
  std::int64_t cpu_milli = 0, memory_mib = 0;
  int gpus = 0;
  std::string model;
};

struct Ask {  // of one pod
  std::int64_t cpu_milli = 0, memory_mib = 0;
  int gpus = 0;
  std::int64_t gpu_milli = 0;       // of each; below 1000 only where it is one
  std::vector<std::string> models;  // that it can run on; none: all

  std::int64_t gpu_units() const { return gpus * gpu_milli; }
  bool is_share() const { return gpus == 1 && gpu_milli < 1000; }
};

struct Trace {
  std::vector<Machine> machines;
  std::vector<Ask> pods;

  // Thousandths of a GPU.
  std::int64_t gpu_units() const;
};

// openb_node_list_gpu_node.csv and openb_pod_list_<workload>.csv of the directory.
Result<Trace> read_trace(const std::string& directory, const std::string& workload);

// A cluster of so many nodes with the mix of nodes, share sizes and CPUs per GPU of that trace.
Trace synthetic_trace(std::uint64_t seed, int machines);

// A cluster of so many nodes whose mix itself is drawn: kinds of nodes, models, sizes of shares, CPUs per
// GPU, how many pods have no GPU, want several, or a certain model. Nothing was ever tuned on these.
Trace random_mix(std::uint64_t seed, int machines);

// The pods in the order in which they come: all of the trace, shuffled, then drawn from it at random until
// they ask for `load` times the GPUs of the cluster.
std::vector<Ask> arrivals(const Trace& trace, std::uint64_t seed, double load);

}  // namespace muster::bench::openb
