// Reads only the nodes that changed.
#include "engine/place/roomiest_devices.hpp"

#include <algorithm>

namespace muster {

const SharedGpu* roomiest_device(const Cluster& c, const Node& node) {
  const auto taken = [](const SharedGpu& gpu) { return gpu.allocated - gpu.releasing + gpu.pipelined; };
  const auto at =
      std::min_element(node.shared.begin(), node.shared.end(), [&](const SharedGpu& a, const SharedGpu& b) {
        return taken(a) != taken(b) ? taken(a) < taken(b) : c.group_name(a.group) < c.group_name(b.group);
      });
  return at == node.shared.end() ? nullptr : &*at;
}

void RoomiestDevices::update() {
  const auto read_all = [&] {
    free_.assign(cluster_.nodes_by_name().size(), kNone);
    for (NodeId n : cluster_.nodes_by_name()) read(n);
  };
  journal_.read(cluster_, read_all, [&](NodeId n) { read(n); });
}

void RoomiestDevices::read(NodeId n) {
  const Node& node = cluster_.node(n);
  std::int64_t& most = free_[cluster_.rank(n)] = kNone;
  for (const SharedGpu& gpu : node.shared)
    most = std::max(
        most, (node.gpu_memory - gpu.allocated + gpu.releasing - gpu.pipelined) * kOneGpu / node.gpu_memory);
}

}  // namespace muster
