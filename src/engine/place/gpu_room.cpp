// Sums GPUs per node and tests whether tasks would fit, by GPUs alone.
#include "engine/place/gpu_room.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace muster {
namespace {

// The memory as thousandths of a device, rounded up to hundredths.
std::int64_t part_of_device(std::int64_t memory, const Node& node) {
  return (memory * 100 + node.gpu_memory - 1) / node.gpu_memory * (kOneGpu / 100);
}

std::int64_t slots_in(std::int64_t room, std::int64_t demand) { return room <= 0 ? 0 : room / demand; }

// Idle and releasing GPUs of a node, including the free and releasing parts of shared ones.
struct GpuSum {
  std::int64_t idle = 0, releasing = 0;
  std::int64_t total() const { return idle + releasing; }
};
GpuSum gpu_sum(const Cluster& cluster, NodeId id) {
  GpuSum sum{cluster.idle().at(kGpu, id), cluster.releasing().at(kGpu, id)};
  const Node& node = cluster.node(id);
  for (const SharedGpu& gpu : node.shared) {
    const std::int64_t releasing = gpu.releasing - gpu.pipelined;
    if (gpu.allocated > 0) sum.idle += kOneGpu - part_of_device(gpu.allocated, node);
    if (releasing != gpu.allocated && releasing > 0) sum.releasing += part_of_device(releasing, node);
  }
  if (node.is_mig)
    for (const Amount& a : node.allocatable)
      if (const std::int64_t gpus = mig_gpus(cluster.kinds().name(a.kind)) * kOneGpu; gpus > 0) {
        sum.idle += gpus * cluster.idle().at(a.kind, id);
        sum.releasing += gpus * cluster.releasing().at(a.kind, id);
      }
  return sum;
}

}  // namespace

std::int64_t freed_gpus(const Cluster& cluster, TaskId t) {
  const NodeId node = cluster.placement(t).node;
  return node.valid() ? cluster.accepted(cluster.shape_of(t), node).units[index(Accounted::kGpus)] : 0;
}

// ---------------------------------------------------------------- all nodes

void GpuRoom::update() {
  const auto read_all = [&] {
    room_.assign(cluster_.nodes_by_name().size(), 0);
    shares_.assign(room_.size(), false);
    whole_.assign(room_.size(), 0);
    most_whole_.reset();
    with_room_ = Bitmap(room_.size());
    usable_total_ = total_ = sharing_ = 0;
    for (NodeId n : cluster_.nodes_by_name()) read(n);
  };
  journal_.read(cluster_, read_all, [&](NodeId n) { read(n); });
}

void GpuRoom::read(NodeId n) {
  const std::uint32_t rank = cluster_.rank(n);
  const GpuSum sum = gpu_sum(cluster_, n);
  const bool shares = !cluster_.node(n).shared.empty();
  if (cluster_.node(n).usable()) usable_total_ += sum.total() - room_[rank];
  total_ += std::max<std::int64_t>(sum.total(), 0) - std::max<std::int64_t>(room_[rank], 0);
  sharing_ += static_cast<int>(shares) - static_cast<int>(shares_[rank]);
  room_[rank] = sum.total();
  shares_[rank] = shares;
  with_room_.set(rank, sum.idle > 0 || sum.releasing > 0);
  const std::int64_t whole = cluster_.free_or_releasing(kGpu, n);
  if (most_whole_ && whole > *most_whole_) most_whole_ = whole;
  if (std::exchange(whole_[rank], whole) == most_whole_ && whole != most_whole_) most_whole_.reset();
}

std::int64_t GpuRoom::most_whole() const {
  if (!most_whole_) most_whole_ = whole_.empty() ? 0 : *std::ranges::max_element(whole_);
  return *most_whole_;
}

// ---------------------------------------------------------------- the test

void RoomTest::start(const Cluster& cluster, const GpuRoom& room, std::span<const TaskId> tasks) {
  cluster_ = &cluster;
  demands_.clear();
  for (TaskId t : tasks) demands_.push_back(cluster.shape_of(t).charge.units[index(Accounted::kGpus)]);
  std::sort(demands_.begin(), demands_.end(), std::greater<>());
  total_ = 0;
  for (std::int64_t d : demands_) total_ += d;
  equal_ = !demands_.empty() && demands_.front() == demands_.back() && demands_.front() > 0;
  room_ = room.by_rank();
  sum_ = room.total();
  slots_ = 0;
  const auto count = [&](std::size_t rank) { slots_ += slots_in(room_[rank], demands_.front()); };
  if (equal_) room.nodes_with_room().for_each(count);
}

void RoomTest::free(NodeId node, std::int64_t gpus) {
  if (!cluster_->node(node).present) return;
  std::int64_t& room = room_[cluster_->rank(node)];
  if (equal_) slots_ += slots_in(room + gpus, demands_.front()) - slots_in(room, demands_.front());
  sum_ += std::max<std::int64_t>(room + gpus, 0) - std::max<std::int64_t>(room, 0);
  room += gpus;
}

std::int64_t RoomTest::slots_with(std::uint32_t rank, std::int64_t extra) const {
  const std::int64_t room = room_[rank], demand = demands_.front();
  return slots_in(room + extra, demand) - slots_in(room, demand);
}

bool RoomTest::passes() const {
  if (total_ == 0) return true;
  if (equal_) return slots_ >= static_cast<std::int64_t>(demands_.size());
  return first_fit();
}

bool RoomTest::first_fit() const {
  best_ = room_;
  const std::size_t count = std::min(best_.size(), demands_.size());
  std::partial_sort(best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(count), best_.end(),
                    std::greater<>());
  best_.resize(count);
  return std::all_of(demands_.begin(), demands_.end(), [&](std::int64_t demand) {
    const auto fits =
        std::find_if(best_.begin(), best_.end(), [&](std::int64_t room) { return room >= demand; });
    if (fits == best_.end()) return false;
    *fits -= demand;
    return true;
  });
}

// ---------------------------------------------------------------- changes

void SlotChange::add(const Cluster& cluster, NodeId node, std::int64_t gpus) {
  if (!node.valid() || !cluster.node(node).present) return;
  const std::uint32_t rank = cluster.rank(node);
  if (rank >= gpus_.size()) gpus_.resize(cluster.nodes_by_name().size(), 0);
  if (gpus_[rank] == 0) touched_.push_back(rank);
  gpus_[rank] += gpus;
}

std::int64_t SlotChange::count(const RoomTest& room) {
  std::int64_t slots = 0;
  for (std::uint32_t rank : touched_) slots += room.slots_with(rank, std::exchange(gpus_[rank], 0));
  touched_.clear();
  return slots;
}

}  // namespace muster
