// A node: the contents of its object, and its shared GPUs.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/objects.hpp"
#include "model/resources.hpp"

namespace muster {

// A device that several tasks share. Memory in MiB.
struct SharedGpu {
  GroupId group;
  std::int64_t allocated = 0;  // by tasks that hold it, including terminating ones
  std::int64_t releasing = 0;  // by terminating tasks
  std::int64_t pipelined = 0;  // by tasks that are nominated to it

  std::int64_t used() const { return allocated + pipelined; }
  bool wholly_releasing() const { return releasing == allocated; }
  // What the device subtracts from the node's idle GPUs and adds to its releasing ones.
  std::int64_t idle_effect() const { return allocated > 0 ? -kOneGpu : 0; }
  std::int64_t releasing_effect() const {
    if (!wholly_releasing()) return 0;
    return (allocated > 0 ? kOneGpu : 0) - (pipelined > 0 ? kOneGpu : 0);
  }
  bool empty() const { return allocated == 0 && pipelined == 0; }
  bool operator==(const SharedGpu&) const = default;
};

enum class MigStrategy : std::uint8_t { kNone, kSingle, kMixed };

struct Node : NodeConditions {
  std::string name;
  bool present = false;  // false: only mentioned by a pod, and otherwise ignored
  TimePoint created{};
  Labels labels;
  std::vector<Taint> taints;
  Request allocatable;
  std::int64_t gpu_memory = 100;  // MiB per device
  bool gpu_memory_known = false;
  std::int64_t gpu_devices = 0;
  bool is_mig = false;
  MigStrategy mig_strategy = MigStrategy::kNone;
  std::vector<SharedGpu> shared;    // sorted by group
  std::int64_t claimable_gpus = 0;  // devices of slices with a GPU driver
  std::vector<SharedGpu> claimed;   // those that tasks hold; each task counts 1

  bool operator==(const Node&) const = default;
  // Whether it may take pods at all, whatever they tolerate. Only such nodes count in the total that queues
  // divide.
  bool usable() const { return present && none(); }
  const std::string* label(std::string_view key) const;

  // MiB of each device that a shared request takes on this node.
  std::int64_t memory_of(const GpuRequest& r) const {
    return r.memory_mib > 0 ? r.memory_mib
                            : static_cast<std::int64_t>(r.portion * static_cast<double>(gpu_memory));
  }
  // Hundredths of a device that a shared request is charged on this node.
  std::int64_t hundredths_of(const GpuRequest& r) const {
    if (r.memory_mib > 0)
      return static_cast<std::int64_t>(
          std::ceil(static_cast<double>(r.memory_mib) / static_cast<double>(gpu_memory) * 100));
    return static_cast<std::int64_t>(std::floor(100 * r.portion + .5));
  }
};

// What is needed besides the object to read a node.
struct NodeReading {
  KindTable& kinds;
  const std::string& mig_role;  // the label that says whether its GPUs are partitioned
};
void read_node(NodeObject&& object, const NodeReading& reading, Node& node);

}  // namespace muster
