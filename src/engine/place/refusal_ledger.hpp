// Why nodes refuse a task: named by what stands in the way, and counted. Nodes that refuse for the same are
// one row; where nodes have different amounts, the largest stands for all.
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
    std::uint32_t best = 0;  // who has the amount
  };
  // Counts one more node, which `is` known by a number to the caller; says in which row.
  std::uint16_t add(NodeRefusal refusal, std::uint32_t is);
  // Counts rows of others among its own.
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

// What the filters by shape and node object say of a node all cycle long.
enum class NodeAnswer : std::uint8_t { kNotAsked, kAllows, kRefuses };

// The refusal of a filter with what it is about.
NodeRefusal named(const Session& session, TaskId task, NodeId node, NodeRefusal refusal);

// The rows of all nodes that refuse a shape by themselves, brought up to date by those that changed. Costs
// nothing before it is first asked.
class RefusalLedger {
 public:
  // The answers, by rank, are somebody else's, who may not have asked yet.
  RefusalLedger(const Session& session, ShapeId shape, const std::vector<NodeAnswer>& answers)
      : session_(session), shape_(shape), answers_(answers) {}
  // All nodes are to be asked anew.
  void restart();
  void changed(std::uint32_t rank);
  // Of the nodes of the set (null: of all), for a task of the shape.
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
  bool is_kept_ = false;  // somebody asked
  RefusalRows rows_;
  std::vector<std::uint16_t> row_of_;  // by rank
  std::vector<std::uint32_t> to_be_asked_;
  std::vector<std::uint16_t> to_be_measured_;  // rows whose best node left them
};

}  // namespace muster
