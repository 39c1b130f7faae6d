// Propagates the changes of a node to its domain and all domains above it.
#include "plugins/topology/room.hpp"

#include <algorithm>
#include <limits>

namespace muster::plugins {
namespace {

constexpr double kNothingFree = 1000;

// The devices of the node that can serve a share, as a number of GPUs.
double free_shares(const Node& node) {
  double sum = 0;
  for (const SharedGpu& gpu : node.shared) {
    const std::int64_t free = node.gpu_memory - gpu.allocated + gpu.releasing - gpu.pipelined;
    if (gpu.used() != 0 && free > 0) sum += static_cast<double>(free) / static_cast<double>(node.gpu_memory);
  }
  return sum;
}

std::int64_t shares_that_fit(const Cluster& c, NodeId n, std::int64_t share, RoomOf room) {
  const auto gpus = [](std::int64_t units) {
    return static_cast<double>(units) / static_cast<double>(kOneGpu);
  };
  const double free = room == RoomOf::kEmpty ? gpus(c.allocatable().at(kGpu, n))
                                             : gpus(c.free_or_releasing(kGpu, n)) + free_shares(c.node(n));
  return free < gpus(share) ? 0 : static_cast<std::int64_t>(free / gpus(share));
}

bool is_overdrawn(const Cluster& c, NodeId n, bool but_for_gpus) {
  if (c.node_table().overdrawn(n) == 0) return false;
  for (Kind k : c.idle().offered())
    if (c.free_or_releasing(k, n) < 0 && !(but_for_gpus && k == kGpu)) return true;
  return false;
}

void write_key(const Request& size, std::vector<std::int64_t>& key) {
  key.clear();
  for (const Amount& a : size) key.insert(key.end(), {a.kind.index(), a.units});
}

double ratio_of(const GroupDemand& demand, auto free) {
  double most = 0;
  for (const Amount& a : demand.sum) {
    const std::int64_t there = free(a.kind);
    most =
        std::max(most, there <= 0 ? kNothingFree : static_cast<double>(a.units) / static_cast<double>(there));
  }
  return most;
}

}  // namespace

std::int64_t pods_that_fit(const Cluster& c, NodeId n, const Request& size, RoomOf room) {
  std::int64_t fit = std::numeric_limits<std::int32_t>::max();
  bool requests_share = false;
  for (const Amount& a : size) {
    const bool is_share = a.kind == kGpu && a.units < kOneGpu;
    requests_share |= is_share;
    const std::int64_t free =
        room == RoomOf::kEmpty ? c.allocatable().at(a.kind, n) : c.free_or_releasing(a.kind, n);
    fit = std::min(
        fit, is_share ? shares_that_fit(c, n, a.units, room) : std::max<std::int64_t>(free, 0) / a.units);
    if (fit == 0) return 0;
  }
  return room == RoomOf::kNow && is_overdrawn(c, n, requests_share) ? 0 : fit;
}

// ---------------------------------------------------------------- amounts

void DomainRoom::update() {
  const auto read_all = [&] {
    const std::vector<Kind>& offered = cluster_.idle().offered();
    const std::size_t kinds = offered.back().index() + 1;
    of_node_.assign(kinds, {});
    free_.assign(kinds, {});
    for (Kind k : offered) {
      of_node_[k].assign(cluster_.nodes_by_name().size(), 0);
      free_[k].assign(tree_.size(), 0);
    }
    for (NodeId n : cluster_.nodes_by_name()) read(n);
  };
  journal_.read(cluster_, read_all, [&](NodeId n) { read(n); });
}

void DomainRoom::read(NodeId n) {
  const std::uint32_t rank = cluster_.rank(n);
  for (Kind k : cluster_.idle().offered()) {
    const std::int64_t change = cluster_.free_or_releasing(k, n) - of_node_[k][rank];
    if (change == 0) continue;
    of_node_[k][rank] += change;
    add(free_[k], n, change);
  }
}

void DomainRoom::add(IdVector<TopologyDomainId, std::int64_t>& sums, NodeId n, std::int64_t change) const {
  for (TopologyDomainId d = tree_.leaf(cluster_.rank(n)); d.valid(); d = tree_[d].parent) sums[d] += change;
}

double DomainRoom::ratio(const GroupDemand& demand, TopologyDomainId d) const {
  return ratio_of(demand, [&](Kind k) { return free(k, d); });
}

// ---------------------------------------------------------------- pods

const DomainRoom::Pods& DomainRoom::pods(const Request& size) {
  constexpr std::size_t kMost = 64;  // cached sizes; beyond this, memory matters more than counting again
  write_key(size, key_);
  if (counts_.size() >= kMost && !counts_.contains(key_)) counts_.clear();
  auto& slot = counts_[key_];
  if (slot == nullptr) slot = std::make_unique<PodCount>();
  PodCount& pods = *slot;
  const auto count_all = [&] {
    pods.by_rank.assign(cluster_.nodes_by_name().size(), 0);
    pods.by_domain.assign(tree_.size(), 0);
    for (NodeId n : cluster_.nodes_by_name()) count(pods, size, n);
  };
  pods.journal.read(cluster_, count_all, [&](NodeId n) { count(pods, size, n); });
  return pods.by_domain;
}

void DomainRoom::count(PodCount& pods, const Request& size, NodeId n) const {
  std::int64_t& known = pods.by_rank[cluster_.rank(n)];
  const std::int64_t change = pods_that_fit(cluster_, n, size, RoomOf::kNow) - known;
  if (change == 0) return;
  known += change;
  add(pods.by_domain, n, change);
}

// ---------------------------------------------------------------- empty domains

DomainRoom::Largest DomainRoom::largest_when_empty(std::uint32_t level, const Request& size) {
  write_key(size, key_);
  key_.push_back(level);
  const auto [known, is_new] = largest_.try_emplace(key_);
  if (is_new) known->second = find_largest(level, size);
  return known->second;
}

DomainRoom::Largest DomainRoom::find_largest(std::uint32_t level, const Request& size) const {
  Largest largest;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const TopologyDomainId d(i);
    if (tree_[d].level != level) continue;
    std::int64_t pods = 0;
    for (std::uint32_t rank : tree_.ranks(d))
      pods += pods_that_fit(cluster_, cluster_.nodes_by_name()[rank], size, RoomOf::kEmpty);
    if (!largest.domain.valid() || pods > largest.pods) largest = {d, pods};
  }
  return largest;
}

bool DomainRoom::could_fit(std::uint32_t level, const GroupDemand& demand) {
  if (demand.wants_nothing()) return true;
  if (demand.is_homogeneous) return largest_when_empty(level, demand.largest).pods >= demand.tasks;
  for (std::size_t i = 0; i < tree_.size(); ++i)
    if (tree_[TopologyDomainId(i)].level == level && could_fit_sum(TopologyDomainId(i), demand)) return true;
  return false;
}

bool DomainRoom::could_fit_sum(TopologyDomainId d, const GroupDemand& demand) const {
  return ratio_of(demand, [&](Kind k) {
           std::int64_t sum = 0;
           for (std::uint32_t rank : tree_.ranks(d))
             sum += cluster_.allocatable().at(k, cluster_.nodes_by_name()[rank]);
           return sum;
         }) <= 1;
}

}  // namespace muster::plugins
