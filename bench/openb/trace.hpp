// A cluster of mixed GPU nodes and its pods: from the CSV files of the public trace (alibaba/clusterdata,
// cluster-trace-gpu-v2023), or generated from a seed.
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
  std::int64_t gpu_milli = 0;       // of each GPU; below 1000 only for a single GPU
  std::vector<std::string> models;  // models that it can run on; empty: all

  std::int64_t gpu_units() const { return gpus * gpu_milli; }
  bool is_share() const { return gpus == 1 && gpu_milli < 1000; }
};

struct Trace {
  std::vector<Machine> machines;
  std::vector<Ask> pods;

  // The GPUs in thousandths.
  std::int64_t gpu_units() const;
};

// openb_node_list_gpu_node.csv and openb_pod_list_<workload>.csv of the directory.
Result<Trace> read_trace(const std::string& directory, const std::string& workload);

// A cluster of this many nodes with the mix of nodes, share sizes and CPUs per GPU of that trace.
Trace synthetic_trace(std::uint64_t seed, int machines);

// A cluster of this many nodes with a random mix: kinds of nodes, models, sizes of shares, CPUs per GPU, and
// how many pods have no GPU, several GPUs, or a certain model. Nothing was tuned on these mixes.
Trace random_mix(std::uint64_t seed, int machines);

// The pods in order of arrival: all of the trace, shuffled, then drawn from it at random until they request
// `load` times the GPUs of the cluster.
std::vector<Ask> arrivals(const Trace& trace, std::uint64_t seed, double load);

}  // namespace muster::bench::openb
