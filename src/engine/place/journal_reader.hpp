// Follows the nodes of a cluster whose sums change.
#pragma once

#include "model/cluster.hpp"

namespace muster {

class JournalReader {
 public:
  // Reports what changed since the last call: changed(node) for each such present node, possibly more than
  // once, or everything() if the changes are not known.
  template <class Everything, class Changed>
  void read(const Cluster& cluster, Everything everything, Changed changed) {
    const NodeJournal& journal = cluster.node_table().journal();
    if (!has_begun_ || read_to_ < journal.begin()) {
      has_begun_ = true;
      everything();
    } else {
      for (NodeId last; read_to_ < journal.end(); ++read_to_) {
        const NodeId node = journal.at(read_to_);
        if (node != last && cluster.node(node).present) changed(node);
        last = node;
      }
    }
    read_to_ = journal.end();
  }

 private:
  std::uint64_t read_to_ = 0;
  bool has_begun_ = false;
};

}  // namespace muster
