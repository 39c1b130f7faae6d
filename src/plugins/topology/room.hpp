// The free room in each domain of a topology, as amounts and as a number of pods of one size. Changes of
// nodes are propagated up the tree.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "engine/place/journal_reader.hpp"
#include "model/cluster.hpp"
#include "plugins/topology/demand.hpp"

namespace muster::plugins {

// How many pods that request `size` the node can take: with what is idle or being released, or if it were
// empty.
enum class RoomOf : std::uint8_t { kNow, kEmpty };
std::int64_t pods_that_fit(const Cluster& cluster, NodeId node, const Request& size, RoomOf room);

class DomainRoom {
 public:
  DomainRoom(const Cluster& cluster, const TopologyTree& tree) : cluster_(cluster), tree_(tree) {}

  // Reads the changes since the last call.
  void update();
  std::int64_t free(Kind kind, TopologyDomainId d) const {
    return free_.contains(kind) && !free_[kind].empty() ? free_[kind][d] : 0;
  }
  // The largest part of a free amount of the domain that the demand takes; 1000 if nothing is free.
  double ratio(const GroupDemand& demand, TopologyDomainId d) const;

  // Number of pods of one size that fit, by domain.
  using Pods = IdVector<TopologyDomainId, std::int64_t>;
  // The current numbers; valid until the next call.
  const Pods& pods(const Request& size);

  // The domain of a level that could take the most pods of a size if it were empty. Not valid if the level
  // has no domains.
  struct Largest {
    TopologyDomainId domain;
    std::int64_t pods = 0;
  };
  Largest largest_when_empty(std::uint32_t level, const Request& size);
  // True if all tasks would fit into one domain of the level if it were empty.
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
  // Only kinds that nodes offer.
  IdVector<Kind, std::vector<std::int64_t>> of_node_;  // by rank
  IdVector<Kind, IdVector<TopologyDomainId, std::int64_t>> free_;
  absl::flat_hash_map<Key, std::unique_ptr<PodCount>> counts_;
  absl::flat_hash_map<Key, Largest> largest_;
  Key key_;
};

}  // namespace muster::plugins
