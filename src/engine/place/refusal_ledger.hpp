// Counts why nodes refuse a task, by cause. Nodes that refuse for the same cause are one row; if their
// amounts differ, the row shows the largest.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

class RefusalRows {
 public:
  struct Row {
    NodeRefusal refusal;
    std::int64_t nodes = 0;
    std::uint32_t best = 0;  // the node with the amount shown
  };
  // Counts one more node, identified by the number `is`. Returns the index of its row.
  std::uint16_t add(NodeRefusal refusal, std::uint32_t is);
  // Adds the rows of other counts.
  void add_all(const std::vector<RefusalCount>& counts);
  Row& operator[](std::uint16_t row) { return rows_[row]; }
  void clear_nodes() {
    for (Row& row : rows_) row.nodes = 0;
  }
  // Most nodes first.
  std::vector<RefusalCount> counts() const;

 private:
  std::uint16_t find(NodeRefusal& refusal);

  std::vector<Row> rows_;
};

// The answer of the filters on shape and node object, which holds for the whole cycle.
enum class NodeAnswer : std::uint8_t { kNotAsked, kAllows, kRefuses };

// The refusal of a filter, with its details filled in.
NodeRefusal named(const Session& session, TaskId task, NodeId node, NodeRefusal refusal);

// The rows of all nodes that refuse a shape, updated for nodes that changed. Does no work until it is first
// used.
class RefusalLedger {
 public:
  // `answers` are by rank, belong to the caller, and may contain kNotAsked.
  RefusalLedger(const Session& session, ShapeId shape, const std::vector<NodeAnswer>& answers)
      : session_(session), shape_(shape), answers_(answers) {}
  // DemandIndex all nodes again.
  void restart();
  void changed(std::uint32_t rank);
  // The rows over the nodes of the set (null: all), for a task of the shape.
  std::vector<RefusalCount> counts(TaskId task, const Bitmap* ranks);

 private:
  void settle(TaskId task);
  void ask(TaskId task, std::uint32_t rank);
  void measure_again(TaskId task, std::uint16_t row);
  void measure_room(RefusalRows::Row& of, std::uint16_t row) const;
  std::vector<RefusalCount> counts_of(const Bitmap& ranks) const;
  NodeId node_at(std::uint32_t rank) const { return session_.cluster.nodes_by_name()[rank]; }

  static constexpr std::uint16_t kFits = 0xFFFF, kToBeAsked = 0xFFFE;
  const Session& session_;
  const ShapeId shape_;
  const std::vector<NodeAnswer>& answers_;
  bool is_kept_ = false;  // true after the first use
  RefusalRows rows_;
  std::vector<std::uint16_t> row_of_;  // by rank
  std::vector<std::uint32_t> to_be_asked_;
  std::vector<std::uint16_t> to_be_measured_;  // rows whose best node left
};

}  // namespace muster
