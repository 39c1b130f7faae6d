// What is free in each domain of a topology: amounts, and room counted in pods of one size. Both are kept up
// to date up the tree from the nodes that changed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "engine/place/journal_reader.hpp"
#include "model/cluster.hpp"
#include "plugins/topology/demand.hpp"

namespace muster::plugins {

// How many pods that want `size` the node can take: by what is idle or being released, or if it were empty.
enum class RoomOf : std::uint8_t { kNow, kEmpty };
std::int64_t pods_that_fit(const Cluster& cluster, NodeId node, const Request& size, RoomOf room);

class DomainRoom {
 public:
  DomainRoom(const Cluster& cluster, const TopologyTree& tree) : cluster_(cluster), tree_(tree) {}

  // Reads what changed since the last call.
  void update();
  std::int64_t free(Kind kind, TopologyDomainId d) const {
    return free_.contains(kind) && !free_[kind].empty() ? free_[kind][d] : 0;
  }
  // The largest part of what is free in the domain that the demand takes; 1000 where there is nothing to take
  // from.
  double ratio(const GroupDemand& demand, TopologyDomainId d) const;

  // Pods of one size that fit, by domain.
  using Pods = IdVector<TopologyDomainId, std::int64_t>;
  // As of now; valid until the next call.
  const Pods& pods(const Request& size);

  // The domain of a level that could take most pods of a size if it were empty. Not valid: the level has
  // none.
  struct Largest {
    TopologyDomainId domain;
    std::int64_t pods = 0;
  };
  Largest largest_when_empty(std::uint32_t level, const Request& size);
  // Would all tasks fit into one domain of the level if it were empty?
  bool could_fit(std::uint32_t level, const GroupDemand& demand);

 private:
  using Key = std::vector<std::int64_t>;
  struct PodCount {
    JournalReader journal;
    std::vector<std::int64_t> by_rank;
    Pods by_domain;
  };
  void read(NodeId node);
  void count(PodCount& pods, const Request& size, NodeId node) const;
  void add(IdVector<TopologyDomainId, std::int64_t>& sums, NodeId node, std::int64_t change) const;
  Largest find_largest(std::uint32_t level, const Request& size) const;
  bool could_fit_sum(TopologyDomainId d, const GroupDemand& demand) const;

  const Cluster& cluster_;
  const TopologyTree& tree_;
  JournalReader journal_;
  // Of kinds that nodes offer.
  IdVector<Kind, std::vector<std::int64_t>> of_node_;  // by rank
  IdVector<Kind, IdVector<TopologyDomainId, std::int64_t>> free_;
  absl::flat_hash_map<Key, std::unique_ptr<PodCount>> counts_;
  absl::flat_hash_map<Key, Largest> largest_;
  Key key_;
};

}  // namespace muster::plugins
