// Sums room by the value of the required level's label. Groups take the roomiest value, largest group first.
#include "engine/search/required_domains.hpp"

#include <algorithm>
#include <functional>

namespace muster {
namespace {

// The demand of the group's running tasks and of those to be placed.
std::int64_t demand_below(const Cluster& c, const Job& job, const Member& set,
                          std::span<const TaskId> tasks) {
  std::int64_t sum = 0;
  const auto add = [&](TaskId t) { sum += c.shape_of(t).charge.units[index(Accounted::kGpus)]; };
  for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p) {
    if (!is_below(job, p, set)) continue;
    for (TaskId t : job.pod_sets[p].tasks)
      if (in(c.placement(t).status, kActiveAllocated)) add(t);
    for (TaskId t : tasks)
      if (c.task(t).pod_set == p) add(t);
  }
  return sum;
}

const std::string& label_of(const Cluster& c, const TopologyConstraint& constraint) {
  const TopologyTree* tree = c.topology(constraint.topology);
  const auto level = tree != nullptr ? tree->level(constraint.required) : std::nullopt;
  return level ? tree->label(*level) : constraint.required;
}

}  // namespace

void RequiredDomains::start(const Session& session, LabelDomains& labels, const GpuRoom& room, JobId id,
                            std::span<const TaskId> tasks) {
  labels_ = &labels;
  levels_.clear();
  const Cluster& c = session.cluster;
  const Job& job = c.job(id);
  for (std::uint32_t set = 0; set < job.sets.size(); ++set)
    if (const TopologyConstraint& constraint = job.sets[set].topology; !constraint.required.empty())
      level_of(session, constraint)
          .demands.push_back(demand_below(c, job, {.is_pod_set = false, .at = set}, tasks));
  for (Level& level : levels_) {
    std::sort(level.demands.begin(), level.demands.end(), std::greater<>());
    for (NodeId n : c.nodes_by_name()) add_room(level, n, room.of(n));
  }
}

RequiredDomains::Level& RequiredDomains::level_of(const Session& session,
                                                  const TopologyConstraint& constraint) {
  const LabelKeyId label = labels_->add(label_of(session.cluster, constraint));
  for (Level& level : levels_)
    if (level.label == label && level.constraint->topology == constraint.topology) return level;
  return levels_.emplace_back(Level{.constraint = &constraint, .label = label});
}

void RequiredDomains::add_room(Level& level, NodeId n, std::int64_t gpus) const {
  const DomainId value = labels_->of(level.label, n);
  if (!value.valid()) return;
  if (value.index() >= level.room.size()) level.room.resize(value.index() + 1, 0);
  level.room[value.index()] += gpus;
}

void RequiredDomains::free(NodeId node, std::int64_t gpus) {
  for (Level& level : levels_) add_room(level, node, gpus);
}

bool RequiredDomains::passes() const { return std::all_of(levels_.begin(), levels_.end(), fit); }

// Places each group in the domain with the most GPUs left, if they are enough.
bool RequiredDomains::fit(const Level& level) {
  std::vector<std::int64_t> left = level.room;
  std::sort(left.begin(), left.end(), std::greater<>());
  return std::all_of(level.demands.begin(), level.demands.end(), [&](std::int64_t demand) {
    if (demand == 0) return true;
    const auto at = std::find_if(left.begin(), left.end(), [&](std::int64_t room) { return room >= demand; });
    if (at == left.end()) return false;
    *at -= demand;
    return true;
  });
}

}  // namespace muster
