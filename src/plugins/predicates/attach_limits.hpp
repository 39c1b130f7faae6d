// How many volumes of a storage driver a node can attach (CSINode), and how many it has attached.
// placement.md 9.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/cluster.hpp"
#include "model/reasons.hpp"

namespace muster::plugins {

class AttachLimits {
 public:
  explicit AttachLimits(const Cluster& cluster);
  void moved(TaskId task, const Placement& from, const Placement& to);
  std::optional<NodeRefusal> refusal(TaskId task, NodeId node) const;

 private:
  struct Volume {
    std::string driver, id;
  };
  struct Driver {
    std::int64_t most = 0;
    std::map<std::string, int> attached;  // number of pods by volume
  };
  std::vector<Volume> volumes_of(TaskId task) const;
  void add(TaskId task, NodeId node, int sign);

  const Cluster& cluster_;
  absl::flat_hash_map<NodeId, std::map<std::string, Driver>> nodes_;  // nodes with limits, by driver
};

}  // namespace muster::plugins
