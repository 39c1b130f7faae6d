// Could the groups of a job that must stay within one topology domain find enough GPUs in domains, if some
// victims were gone? actions.md 9.4. Sums of GPUs only, so it may pass what does not fit; largest group
// first, so it may refuse mixed ones that would.
#pragma once

#include <span>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/place/label_domains.hpp"

namespace muster {

class RequiredDomains {
 public:
  // Starts over from the present room. `tasks`: those of the job that are to be placed beside its running
  // ones.
  void start(const Session& session, LabelDomains& labels, const GpuRoom& room, JobId job,
             std::span<const TaskId> tasks);
  void free(NodeId node, std::int64_t gpus);
  bool passes() const;

 private:
  // The groups that have to lie within one value of one label each.
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
