// The number of rows is limited. Beyond the limit, a refusal is counted by its rule alone.
#include "engine/place/refusal_ledger.hpp"

#include <algorithm>
#include <limits>

#include "engine/place/node_index.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostNamed = 32;

bool is_same(const NodeRefusal& a, const NodeRefusal& b) {
  return a.rule == b.rule && a.kind == b.kind && a.what == b.what;
}

// Includes what is being released, and devices that the task would share.
std::int64_t room_at(const Cluster& c, const Shape& shape, NodeId node, Kind kind) {
  const std::int64_t free = c.free_or_releasing(kind, node);
  const bool joins = kind == kGpu && shape.claimed_gpus > 0;
  return joins ? free + c.counted_devices(shape, node, false) * kOneGpu : free;
}

// Shared requests depend on single devices, so the nearest device is reported separately.
void measure(const Cluster& c, const Shape& shape, NodeId node, NodeRefusal& refusal) {
  if (refusal.kind == kGpu && shape.is_shared()) return;
  refusal.wanted = amount_of(shape.request, refusal.kind);
  refusal.available = room_at(c, shape, node, refusal.kind);
}

NodeRefusal with_numbers(const Session& session, TaskId task, NodeId node, NodeRefusal refusal) {
  if (refusal.rule == NodeRule::kResources)
    measure(session.cluster, session.cluster.shape_of(task), node, refusal);
  else
    session.hooks.name_refusal(task, node, refusal);
  return refusal;
}

}  // namespace

// Refusals that no eviction can change take precedence: emptying a full node would not help if the task may
// not use it.
NodeRefusal named(const Session& session, TaskId task, NodeId node, NodeRefusal refusal) {
  if (auto fixed = session.hooks.shape_filter(session.cluster.task(task).shape, node))
    refusal = *std::move(fixed);
  return with_numbers(session, task, node, std::move(refusal));
}

// ---------------------------------------------------------------- rows

std::uint16_t RefusalRows::find(NodeRefusal& refusal) {
  const auto same = [&](const Row& row) { return is_same(row.refusal, refusal); };
  auto at = std::find_if(rows_.begin(), rows_.end(), same);
  if (at == rows_.end() && rows_.size() >= kMostNamed && !refusal.what.empty()) {
    refusal = {.rule = refusal.rule, .kind = refusal.kind};
    at = std::find_if(rows_.begin(), rows_.end(), same);
  }
  if (at == rows_.end()) at = rows_.insert(at, Row{.refusal = refusal});
  return static_cast<std::uint16_t>(at - rows_.begin());
}

std::uint16_t RefusalRows::add(NodeRefusal refusal, std::uint32_t is) {
  const std::uint16_t row = find(refusal);
  Row& at = rows_[row];
  if (at.nodes++ == 0 || refusal.available > at.refusal.available) {
    at.refusal = std::move(refusal);
    at.best = is;
  }
  return row;
}

void RefusalRows::add_all(const std::vector<RefusalCount>& counts) {
  for (const RefusalCount& c : counts) rows_[add(c.refusal, 0)].nodes += c.nodes - 1;
}

std::vector<RefusalCount> RefusalRows::counts() const {
  std::vector<RefusalCount> counts;
  for (const Row& row : rows_)
    if (row.nodes > 0) counts.push_back({row.refusal, row.nodes});
  std::sort(counts.begin(), counts.end(), [](const RefusalCount& a, const RefusalCount& b) {
    return a.nodes != b.nodes ? a.nodes > b.nodes : a.refusal < b.refusal;
  });
  return counts;
}

// ---------------------------------------------------------------- updates

void RefusalLedger::restart() {
  if (!is_kept_) return;
  const auto nodes = static_cast<std::uint32_t>(session_.cluster.nodes_by_name().size());
  rows_ = {};
  row_of_.assign(nodes, kToBeAsked);
  to_be_asked_.clear();
  to_be_measured_.clear();
  for (std::uint32_t rank = 0; rank < nodes; ++rank) to_be_asked_.push_back(rank);
}

void RefusalLedger::changed(std::uint32_t rank) {
  if (!is_kept_ || row_of_[rank] == kToBeAsked) return;
  if (const std::uint16_t row = row_of_[rank]; row != kFits) {
    --rows_[row].nodes;
    if (rows_[row].best == rank && rows_[row].refusal.wanted > 0) to_be_measured_.push_back(row);
  }
  row_of_[rank] = kToBeAsked;
  to_be_asked_.push_back(rank);
}

void RefusalLedger::settle(TaskId task) {
  if (!is_kept_) is_kept_ = true, restart();
  for (std::uint32_t rank : to_be_asked_) ask(task, rank);
  to_be_asked_.clear();
  for (std::uint16_t row : to_be_measured_) measure_again(task, row);
  to_be_measured_.clear();
}

void RefusalLedger::ask(TaskId task, std::uint32_t rank) {
  const NodeId node = node_at(rank);
  const bool is_for_it = answers_[rank] == NodeAnswer::kAllows;
  auto refusal = is_for_it ? refusal_now(session_, shape_, node) : refusal_of(session_, shape_, node);
  if (!refusal) {
    row_of_[rank] = kFits;
    return;
  }
  row_of_[rank] = rows_.add(is_for_it ? with_numbers(session_, task, node, *std::move(refusal))
                                      : named(session_, task, node, *std::move(refusal)),
                            rank);
}

void RefusalLedger::measure_again(TaskId task, std::uint16_t row) {
  if (rows_[row].refusal.rule == NodeRule::kResources) return measure_room(rows_[row], row);
  rows_[row].nodes = 0;
  for (std::uint32_t rank = 0; rank < row_of_.size(); ++rank)
    if (row_of_[rank] == row) ask(task, rank);
}

void RefusalLedger::measure_room(RefusalRows::Row& of, std::uint16_t row) const {
  const Shape& shape = session_.cluster.shape(shape_);
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (std::uint32_t rank = 0; rank < row_of_.size(); ++rank) {
    if (row_of_[rank] != row) continue;
    const std::int64_t room = room_at(session_.cluster, shape, node_at(rank), of.refusal.kind);
    if (room > most) most = room, of.best = rank;
  }
  of.refusal.available = most;
}

std::vector<RefusalCount> RefusalLedger::counts(TaskId task, const Bitmap* ranks) {
  settle(task);
  return ranks == nullptr ? rows_.counts() : counts_of(*ranks);
}

std::vector<RefusalCount> RefusalLedger::counts_of(const Bitmap& ranks) const {
  const Shape& shape = session_.cluster.shape(shape_);
  RefusalRows some = rows_;
  some.clear_nodes();
  ranks.for_each([&](std::size_t rank) {
    if (row_of_[rank] == kFits) return;
    RefusalRows::Row& row = some[row_of_[rank]];
    const bool is_first = row.nodes++ == 0;
    if (row.refusal.rule != NodeRule::kResources || row.refusal.wanted == 0) return;
    const std::int64_t room =
        room_at(session_.cluster, shape, node_at(static_cast<std::uint32_t>(rank)), row.refusal.kind);
    row.refusal.available = is_first ? room : std::max(row.refusal.available, room);
  });
  return some.counts();
}

}  // namespace muster
