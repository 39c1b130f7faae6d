// The nodes that can take a shape, best score first: a tournament over all nodes in name order. After a
// placement, only nodes that changed are asked again. tests/properties_test.cpp compares it with scoring all
// nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/journal_reader.hpp"
#include "engine/place/refusal_ledger.hpp"

namespace muster {

// Why a node cannot take a shape, whatever its score; nullopt if it can. Checks amounts, then state, then the
// node object.
std::optional<NodeRefusal> refusal_of(const Session& session, ShapeId shape, NodeId node);

// Likewise, but only the checks whose result may change during a cycle.
std::optional<NodeRefusal> refusal_now(const Session& session, ShapeId shape, NodeId node);

class NodeIndex {
 public:
  NodeIndex(const Session& session, ShapeId shape);

  // Applies the changes since the last call.
  void update();
  // False if a node is in a state in which keys do not give the order of scores.
  bool is_exact() const { return inexact_ == 0; }
  // The best node that is left, or an invalid id.
  NodeId best() const;
  // The best node of a set of ranks (null: all), by examining each. Compares by `first` (may be null), then
  // by key; minus infinity excludes a node.
  NodeId best_of(const Bitmap* ranks, const NodeScores* first) const;
  // Excludes a node until restore().
  void mask(NodeId node);
  void restore();
  // Excludes a node until a task leaves some node. REQUIRES: its refusal applies to all tasks of the shape.
  void park(NodeId node);
  bool has_parked() const { return has_parked_; }
  const Bitmap& parked() const { return parked_; }
  // How many nodes of the set (null: all) refuse a task of the shape, by cause.
  std::vector<RefusalCount> refusals(TaskId task, const Bitmap* ranks) { return ledger_.counts(task, ranks); }

 private:
  void build();
  void change(NodeId node);
  void unpark();
  void evaluate(std::uint32_t rank);
  bool is_refused(std::uint32_t rank, NodeId node);
  void forget(std::uint32_t rank);
  void replay_up(std::uint32_t rank);
  template <class Visit>
  void for_each_rank(const Bitmap* ranks, Visit visit) const;
  std::uint32_t winner(std::uint32_t a, std::uint32_t b) const;

  const Session& session_;
  const ShapeId shape_;
  JournalReader journal_;
  std::vector<double> keys_;  // by rank; minus infinity: does not fit
  std::vector<bool> exact_;
  std::vector<NodeAnswer> shape_filter_;   // by rank: answers that hold for the whole cycle
  std::vector<std::uint32_t> updated_in_;  // by rank: the update that asked the node last
  std::vector<std::uint32_t> tree_;        // winners; the second half are the leaves
  RefusalLedger ledger_;
  std::size_t leaves_ = 0, inexact_ = 0;
  std::uint32_t updates_ = 0;
  std::vector<std::pair<std::uint32_t, double>> masked_;
  Bitmap parked_;                    // ranks
  std::vector<double> parked_keys_;  // by rank
  std::uint64_t parked_since_ = 0;   // value of departures() when the nodes were parked
  bool has_parked_ = false;          // some nodes are, or were since then, parked
};

}  // namespace muster
