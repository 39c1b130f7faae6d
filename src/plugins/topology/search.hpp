// Finds the domains in which a group of a job may be placed, best first. placement.md 8.2, 8.3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/cycle/hooks.hpp"
#include "plugins/topology/demand.hpp"
#include "plugins/topology/room.hpp"

namespace muster::plugins {

// A constraint as levels of its topology; `required` is 0 if there is none.
struct TopologyLevels {
  std::uint32_t required = 0;
  std::optional<std::uint32_t> preferred;

  std::uint32_t finest() const { return preferred.value_or(required); }
};

// What to place, and where it may be placed.
struct DomainQuestion {
  const TopologyTree* tree = nullptr;
  DomainRoom* room = nullptr;
  TopologyLevels levels;
  GroupDemand demand;
  std::string group;                // name of the sub group; "" for the job itself
  const Bitmap* allowed = nullptr;  // node ranks; null: all nodes
  // True if some pods of the group already run. Then only required domains that contain such a pod are
  // allowed.
  bool is_anchored = false;
  std::vector<TopologyDomainId> anchors;  // sorted
  // True if a required level counts as met when it is coarser than the domain that all nodes share.
  bool uses_finer_domain = false;
};

// Offers the finest level first, and within a level follows the sorted tree, in which the fuller of two
// siblings comes first. Sorts only as much of the tree as the next domain needs.
class DomainSearch final : public NodeSets {
 public:
  explicit DomainSearch(const Cluster& cluster) : cluster_(cluster) {}
  void start(DomainQuestion question);

  const Bitmap* next() override;
  const std::string& place() const override { return (*q_.tree)[last_].id; }
  JobReason refusal() const override;

  // True if the group prefers a level. Then scores() applies to the tasks of the group, and to those of
  // groups below it that have no preference of their own. If scores() is null, all nodes of the last set are
  // equal.
  bool is_preferring() const { return q_.levels.preferred.has_value(); }
  const NodeScores* scores() const { return has_scores_ ? &scores_ : nullptr; }

 private:
  struct Frame {
    std::size_t at, end;  // in order_
  };
  TopologyDomainId common_domain() const;
  std::uint32_t level_of(TopologyDomainId d) const { return (*q_.tree)[d].level; }
  bool is_enough(TopologyDomainId d) const;
  bool may_hold(TopologyDomainId d) const;
  void begin_level(std::uint32_t level);
  TopologyDomainId next_of_level();
  // Appends the children of a domain to order_, fullest first.
  Frame sort_children(TopologyDomainId d);
  void collect_preferred(TopologyDomainId d, std::vector<TopologyDomainId>& found);
  void score_nodes();
  const Bitmap* offer(TopologyDomainId d);
  DomainShortage shortage(TopologyDomainId d) const;

  const Cluster& cluster_;
  DomainQuestion q_;
  TopologyDomainId top_, last_;
  std::uint32_t level_ = 0;
  bool is_over_ = false, has_scores_ = false, are_scored_ = false;
  const DomainRoom::Pods* pods_ = nullptr;  // null: room is not counted in pods
  std::vector<std::uint32_t> order_;
  std::vector<Frame> frames_;
  std::vector<std::pair<double, std::uint32_t>> ratios_;
  Bitmap set_;
  NodeScores scores_;
};

}  // namespace muster::plugins
