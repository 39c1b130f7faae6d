// Device choice: shared GPUs that have room, and whole ones.
#include "engine/shared_gpus.hpp"

#include <algorithm>

#include "engine/fit.hpp"

namespace muster {
namespace {

struct Candidate {
  double score = 0;
  GroupId group;  // not valid: a whole device
  bool is_idle = true;
};

std::vector<Candidate> candidates(Session& s, TaskId t, NodeId id) {
  const Node& node = s.cluster.node(id);
  const std::int64_t memory = node.memory_of(s.cluster.shape_of(t).gpu);
  std::vector<Candidate> found;
  for (const SharedGpu& gpu : node.shared) {
    if (!fits_group(node, gpu, memory)) continue;
    Candidate c{.group = gpu.group, .is_idle = has_idle_memory(node, gpu, memory)};
    s.hooks.gpu_score(t, id, gpu.group, c.score);
    found.push_back(c);
  }
  const std::int64_t whole =
      s.cluster.idle().at(kGpu, id) / kOneGpu + s.cluster.releasing().at(kGpu, id) / kOneGpu;
  Candidate device;
  if (whole > 0) s.hooks.gpu_score(t, id, GroupId(), device.score);
  for (std::int64_t i = 0; i < whole && i < s.cluster.shape_of(t).gpu.devices; ++i) found.push_back(device);
  return found;
}

// A name for a device that begins to be shared: the first of the node that is not in use.
GroupId fresh_group(Session& s, NodeId id, std::span<const GroupId> taken) {
  const Node& node = s.cluster.node(id);
  for (int i = 0;; ++i) {
    const GroupId group = s.cluster.intern_group(node.name + "-shared-" + std::to_string(i));
    const auto same = [&](GroupId g) { return g == group; };
    const bool in_use = std::any_of(node.shared.begin(), node.shared.end(),
                                    [&](const SharedGpu& g) { return g.group == group; });
    if (!in_use && std::none_of(taken.begin(), taken.end(), same)) return group;
  }
}

}  // namespace

std::optional<GpuChoice> choose_gpus(Session& s, TaskId t, NodeId id) {
  auto found = candidates(s, t, id);
  const auto devices = static_cast<std::size_t>(s.cluster.shape_of(t).gpu.devices);
  if (found.size() < devices) return std::nullopt;
  std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.group.valid() != b.group.valid()) return a.group.valid();
    return a.group.valid() && s.cluster.group_name(a.group) < s.cluster.group_name(b.group);
  });
  std::vector<GroupId> groups;
  bool idle = true;
  for (std::size_t i = 0; i < devices; ++i) {
    groups.push_back(found[i].group.valid() ? found[i].group : fresh_group(s, id, groups));
    idle = idle && found[i].is_idle;
  }
  return GpuChoice{s.cluster.intern_groups(std::move(groups)), idle};
}

}  // namespace muster
