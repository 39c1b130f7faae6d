// Scores of nodes, added up over the plugins.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace muster {

using NodeScores = IdVector<NodeId, double>;

// Scores of nodes for a task. Higher is better; ties go by name. Most scores depend only on the shape of the
// request and the state of the node, so the engine keeps them in a sorted index and asks again only about
// nodes that changed.
class ScoreHook {
 public:
  using Local = std::function<double(ShapeId, NodeId)>;
  // Orders nodes like `exact`, but from each node alone; nullopt if the node is in a state where it would
  // not.
  using LocalKey = std::function<std::optional<double>(ShapeId, NodeId)>;
  using OfSet = std::function<void(ShapeId, std::span<const NodeId>, std::span<double>)>;
  using Applies = std::function<bool(TaskId)>;
  using OfTask = std::function<void(TaskId, std::span<const NodeId>, std::span<double>)>;
  using Table = std::function<const NodeScores*(TaskId)>;

  // Adds a score that depends only on shape and node.
  void add_local(Local score) { terms_.push_back({.local = std::move(score)}); }
  // Adds a score relative to all nodes of the set, with a key that orders nodes the same way.
  void add_relative(OfSet exact, LocalKey key) {
    terms_.push_back({.of_set = std::move(exact), .key = std::move(key)});
  }
  // Adds a score that depends on the task or on other nodes. Only tasks that it applies to pay for it. A
  // score of minus infinity excludes the node for the task.
  void add_global(Applies applies, OfTask score) {
    terms_.push_back({.applies = std::move(applies), .of_task = std::move(score)});
  }

  // Sets scores that do not change while the task is being placed, or null if they do not apply to it. They
  // outweigh all local scores. Only one plugin may set them. Minus infinity excludes the node.
  void set_table(Table table);

  // Multiplies the local and relative scores. A plugin whose scores are large uses this to keep them below
  // those of the table.
  void scale_own(double factor) { own_scale_ = factor; }
  // Assigns all terms added since the last call to the plugin.
  void named(const std::string& plugin) {
    for (Term& term : terms_)
      if (term.plugin.empty()) term.plugin = plugin;
  }
  // Visits each plugin's terms separately, to explain a choice: visit(plugin, score), where score is called
  // like score() below.
  template <class Visit>
  void for_each_term(Visit visit) const {
    for (const Term& term : terms_)
      visit(term.plugin, [&](TaskId task, ShapeId shape, std::span<const NodeId> nodes,
                             std::span<double> sums) { add(term, task, shape, nodes, sums); });
  }

  // Adds all scores of the nodes in the order of the plugins, without the index.
  void score(TaskId task, ShapeId shape, std::span<const NodeId> nodes, std::span<double> sums) const;
  bool depends_on_task(TaskId task) const;
  const NodeScores* table(TaskId task) const { return table_ ? table_(task) : nullptr; }
  // The sum of local scores and keys, or nullopt if a key is not exact for the node.
  std::optional<double> key(ShapeId shape, NodeId node) const;

 private:
  struct Term {
    Local local;
    OfSet of_set;
    LocalKey key;
    Applies applies;
    OfTask of_task;
    bool is_table = false;
    std::string plugin = {};
  };
  void add_own(ShapeId shape, std::span<const NodeId> nodes, std::span<double> sums) const;
  static void add_own_of(const Term& term, ShapeId shape, std::span<const NodeId> nodes,
                         std::span<double> own);
  void add_of_task(const Term& term, TaskId task, std::span<const NodeId> nodes,
                   std::span<double> sums) const;
  void add(const Term& term, TaskId task, ShapeId shape, std::span<const NodeId> nodes,
           std::span<double> sums) const;

  std::vector<Term> terms_;
  Table table_;
  double own_scale_ = 1;
};

}  // namespace muster
