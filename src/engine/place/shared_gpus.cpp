// Chooses devices: shared GPUs with room, and whole ones.
#include "engine/place/shared_gpus.hpp"

#include <algorithm>
#include <limits>

#include "engine/place/fit.hpp"

namespace muster {
namespace {

struct Candidate {
  double score = 0;
  GroupId group;  // not valid: a whole device
  bool is_idle = true;
};

std::int64_t whole_devices(const Cluster& c, NodeId id) {
  return c.idle().at(kGpu, id) / kOneGpu + c.releasing().at(kGpu, id) / kOneGpu;
}

// A device that starts to be shared needs a second pod slot, for its reservation pod.
bool can_open_group(const Session& s, NodeId id) {
  return !s.settings.compatibility.slots_for_new_groups || s.cluster.free_or_releasing(kPods, id) >= 2;
}

// Idle whole devices come before releasing ones. KAI-Scheduler treats releasing ones as idle; that matters
// only if a whole device is preferred to a shared one.
bool is_idle_device(const Session& s, NodeId id, std::int64_t number) {
  return number < s.cluster.idle().at(kGpu, id) / kOneGpu || !s.settings.compatibility.avoid_fragments;
}

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
  const std::int64_t whole = can_open_group(s, id) ? whole_devices(s.cluster, id) : 0;
  Candidate device;
  if (whole > 0) s.hooks.gpu_score(t, id, GroupId(), device.score);
  for (std::int64_t i = 0; i < whole && i < s.cluster.shape_of(t).gpu.devices; ++i) {
    device.is_idle = is_idle_device(s, id, i);
    found.push_back(device);
  }
  return found;
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
    groups.push_back(found[i].group.valid() ? found[i].group : s.cluster.fresh_group(id, groups));
    idle = idle && found[i].is_idle;
  }
  return GpuChoice{s.cluster.intern_groups(std::move(groups)), idle};
}

// Filters are checked last, and only for nodes that would be nearer.
std::optional<DomainShortage> nearest_shared_gpu(const Session& s, TaskId t, const Bitmap* allowed,
                                                 const RoomiestDevices& devices) {
  const Cluster& c = s.cluster;
  const Shape& shape = c.shape_of(t);
  if (!shape.is_shared() || shape.gpu.devices != 1) return std::nullopt;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), of_memory = 0, wanted = 0;
  DomainShortage nearest{.kind = kGpu};
  NodeId where;
  for (std::uint32_t rank = 0; rank < devices.by_rank().size(); ++rank) {
    const std::int64_t free = devices.by_rank()[rank];
    if (free == RoomiestDevices::kNone || (allowed != nullptr && !allowed->test(rank))) continue;
    const NodeId n = c.nodes_by_name()[rank];
    if (const Node& node = c.node(n); node.gpu_memory != of_memory)
      of_memory = node.gpu_memory, wanted = node.memory_of(shape.gpu) * kOneGpu / of_memory;
    if (free >= wanted || wanted - free >= least || s.hooks.shape_filter(c.task(t).shape, n)) continue;
    least = wanted - free;
    nearest.wanted = wanted, nearest.free = free;
    where = n;
  }
  if (!where.valid()) return std::nullopt;
  const Node& node = c.node(where);
  nearest.domain = "GPU " + c.group_name(roomiest_device(c, node)->group) + " of node " + node.name;
  return nearest;
}

}  // namespace muster
