// Learns the typical pods, and adds one "filler" for each node size: a pod that would fill such a node.
#include "plugins/fragmentation/node_values.hpp"

#include <algorithm>
#include <bit>

namespace muster::plugins {
namespace {

constexpr std::size_t kMostFillers = 64;

// Keeps the first three binary digits, so that nodes that differ by little have the same size.
std::int64_t rounded_down(std::int64_t amount) {
  const int rest = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(amount))) - 3);
  return amount >> rest << rest;
}

// For each bit, the number of GPUs on the nodes whose mask has that bit.
class GpusByBit {
 public:
  explicit GpusByBit(std::size_t bits) : gpus_(bits, 0) {}

  void add(std::uint64_t bits, std::int64_t gpus) {
    for (; bits != 0; bits &= bits - 1) gpus_[static_cast<std::size_t>(std::countr_zero(bits))] += gpus;
  }
  // The fewer GPUs a pod can use, the more each of them matters to it.
  double weight(std::size_t bit, std::int64_t tasks) const {
    return gpus_[bit] == 0 ? 0 : static_cast<double>(tasks) / static_cast<double>(gpus_[bit]);
  }

 private:
  std::vector<std::int64_t> gpus_;
};

}  // namespace

NodeValues::NodeValues(const Cluster& cluster)
    : cluster_(cluster), workload_(typical_workload(cluster)), kind_of_(cluster.nodes().size(), nullptr) {
  // If all pods may use the same nodes, no node is scarce.
  if (workload_.has_shares || workload_.places.size() > 1) sort_nodes();
}

bool NodeValues::counts(NodeId n) const {
  return cluster_.allocatable().at(kGpu, n) > 0 && !cluster_.node(n).is_mig;
}

// Leaves out an eighth of the CPUs, for the agents on the node.
NodeValues::Filler NodeValues::size_of(NodeId n) const {
  const std::int64_t cpu = std::max<std::int64_t>(0, cluster_.allocatable().at(kCpu, n));
  return {
      .devices = static_cast<int>(std::min<std::int64_t>(cluster_.allocatable().at(kGpu, n) / kOneGpu, 1024)),
      .cpu = rounded_down(cpu - cpu / 8)};
}

std::uint64_t NodeValues::places_of(const Node& node) const {
  std::uint64_t places = 0;
  for (std::size_t i = 0; i < workload_.places.size(); ++i)
    if (may_use(cluster_.shape(workload_.places[i]), node)) places |= std::uint64_t{1} << i;
  return places;
}

std::uint64_t NodeValues::fillers_of(NodeId n) const {
  const Filler size = size_of(n);
  std::uint64_t fillers = 0;
  for (std::size_t i = 0; i < fillers_.size(); ++i)
    if (fillers_[i].devices <= size.devices && fillers_[i].cpu <= size.cpu) fillers |= std::uint64_t{1} << i;
  return fillers;
}

void NodeValues::sort_nodes() {
  IdVector<NodeId, Use> uses(kind_of_.size());
  std::uint64_t all = 0, common = ~std::uint64_t{0};
  for (NodeId n : cluster_.nodes_by_name()) {
    if (!counts(n)) continue;
    const std::uint64_t places = uses[n].places = places_of(cluster_.node(n));
    if (places != 0) all |= places, common &= places;
  }
  differ_ = all != 0 && all != common;
  if (!is_uneven()) return;
  const bool by_memory =
      std::any_of(workload_.pods.begin(), workload_.pods.end(), [&](const TypicalPod& pod) {
        return cluster_.shape(pod.shape).gpu.type == GpuRequestType::kGpuMemory;
      });
  find_fillers(uses);
  for (NodeId n : cluster_.nodes_by_name()) {
    if (uses[n].places != 0) uses[n].fillers = fillers_of(n);
    if (by_memory) uses[n].gpu_memory = cluster_.node(n).gpu_memory;
  }
  weigh(uses);
  absl::flat_hash_map<Use, const RoomValue*> kinds;
  for (NodeId n : cluster_.nodes_by_name()) {
    if (!counts(n)) continue;
    const RoomValue*& kind = kinds[uses[n]];
    if (kind == nullptr) kind = &kinds_.emplace_back(wishes(uses[n], cluster_.node(n)));
    kind_of_[n] = kind;
  }
}

// A pod that needs a whole node may be submitted to any cluster, but is seldom there to learn from. As long
// as no known pod needs whole nodes, the fillers keep nodes whole, as packing does.
void NodeValues::find_fillers(const IdVector<NodeId, Use>& uses) {
  for (NodeId n : cluster_.nodes_by_name()) {
    if (uses[n].places == 0) continue;
    const Filler size = size_of(n);
    if (size.devices > 0 && std::find(fillers_.begin(), fillers_.end(), size) == fillers_.end())
      fillers_.push_back(size);
    if (fillers_.size() == kMostFillers) return;
  }
}

void NodeValues::weigh(const IdVector<NodeId, Use>& uses) {
  GpusByBit of_places(workload_.places.size()), of_fillers(fillers_.size());
  for (NodeId n : cluster_.nodes_by_name()) {
    of_places.add(uses[n].places, cluster_.allocatable().at(kGpu, n));
    of_fillers.add(uses[n].fillers, cluster_.allocatable().at(kGpu, n));
  }
  double sum = 0;
  for (const TypicalPod& pod : workload_.pods)
    sum += weights_.emplace_back(of_places.weight(pod.places, pod.tasks));
  for (std::size_t i = 0; i < fillers_.size(); ++i)
    sum += filler_weights_.emplace_back(of_fillers.weight(i, 1));
  if (sum <= 0) return;
  for (double& weight : weights_) weight /= sum;
  for (double& weight : filler_weights_) weight /= sum;
}

std::vector<Wish> NodeValues::wishes(const Use& use, const Node& node) const {
  std::vector<Wish> found;
  for (std::size_t i = 0; i < workload_.pods.size(); ++i) {
    const TypicalPod& pod = workload_.pods[i];
    const Shape& shape = cluster_.shape(pod.shape);
    if ((use.places >> pod.places & 1) == 0) continue;
    Wish wish{.cpu = amount_of(shape.request, kCpu),
              .memory = amount_of(shape.request, kMemory),
              .devices = static_cast<int>(std::min<std::int64_t>(shape.whole_gpus() / kOneGpu, 1024)),
              .weight = weights_[i],
              .frequency = static_cast<double>(pod.tasks) / static_cast<double>(workload_.tasks)};
    if (shape.is_shared()) {
      wish.devices = 1;  // each device is used separately
      wish.weight *= std::max(1, shape.gpu.devices);
      wish.hundredths = static_cast<int>(std::clamp<std::int64_t>(node.hundredths_of(shape.gpu), 0, 101));
    }
    if (wish.devices > 0 && wish.hundredths > 0 && wish.hundredths <= 100) found.push_back(wish);
  }
  for (std::size_t i = 0; i < fillers_.size(); ++i)
    if (use.fillers >> i & 1)
      found.push_back({.cpu = fillers_[i].cpu, .devices = fillers_[i].devices, .weight = filler_weights_[i]});
  return found;
}

}  // namespace muster::plugins
