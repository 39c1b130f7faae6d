// The free part of the roomiest shared GPU of each node, for messages about the nearest one.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/place/journal_reader.hpp"

namespace muster {

// The node's shared GPU with the most free or releasing memory, ties by name; null if it has none.
const SharedGpu* roomiest_device(const Cluster& cluster, const Node& node);

class RoomiestDevices {
 public:
  explicit RoomiestDevices(const Cluster& cluster) : cluster_(cluster) {}
  void update();
  // Thousandths of a device that are free or being released.
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t>& by_rank() const { return free_; }

 private:
  void read(NodeId node);

  const Cluster& cluster_;
  JournalReader journal_;
  std::vector<std::int64_t> free_;
};

}  // namespace muster
