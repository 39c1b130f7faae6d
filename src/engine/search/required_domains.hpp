// Tests whether the groups of a job that must stay within one topology domain could find enough GPUs if some
// victims were gone. actions.md 9.4. It compares sums of GPUs only, so it may accept what does not fit; it
// places the largest group first, so it may refuse mixed groups that would fit.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/place/label_domains.hpp"

namespace muster {

class RequiredDomains {
 public:
  // Starts over from the current room. `tasks`: tasks of the job to be placed in addition to its running
  // ones.
  void start(const Session& session, LabelDomains& labels, const GpuRoom& room, JobId job,
             std::span<const TaskId> tasks);
  void free(NodeId node, std::int64_t gpus);
  bool passes() const;

 private:
  // Groups that must each lie within one value of one label.
  struct Level {
    const TopologyConstraint* constraint;
    LabelKeyId label;
    std::vector<std::int64_t> demands;  // largest first
    std::vector<std::int64_t> room;     // by value
  };
  Level& level_of(const Session& session, const TopologyConstraint& constraint);
  void add_room(Level& level, NodeId node, std::int64_t gpus) const;
  static bool fit(const Level& level);

  LabelDomains* labels_ = nullptr;
  std::vector<Level> levels_;
};

}  // namespace muster
