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

// Scores of nodes for a task; higher is better, equal sums go by name. Most scores depend on nothing but the
// shape of the request and the state of the one node, so the engine keeps them in an ordered index and asks
// again only about nodes that changed.
class ScoreHook {
 public:
  using Local = std::function<double(ShapeId, NodeId)>;
  // Gives the order of `exact` from the node alone; nothing where the node is in a state in which it would
  // not.
  using LocalKey = std::function<std::optional<double>(ShapeId, NodeId)>;
  using OfSet = std::function<void(ShapeId, std::span<const NodeId>, std::span<double>)>;
  using Applies = std::function<bool(TaskId)>;
  using OfTask = std::function<void(TaskId, std::span<const NodeId>, std::span<double>)>;
  using Table = std::function<const NodeScores*(TaskId)>;

  // A score of the shape on the node by itself.
  void add_local(Local score) { terms_.push_back({.local = std::move(score)}); }
  // A score relative to all nodes of the set, with a key that orders nodes alike.
  void add_relative(OfSet exact, LocalKey key) {
    terms_.push_back({.of_set = std::move(exact), .key = std::move(key)});
  }
  // A score that depends on the task or on other nodes; only tasks to which it applies pay for it. A node
  // given minus infinity is left out for the task.
  void add_global(Applies applies, OfTask score) {
    terms_.push_back({.applies = std::move(applies), .of_task = std::move(score)});
  }

  // Scores that do not change while the task is being placed, null where they do not concern it. They
  // outweigh all local ones. Only one plugin may have them. Minus infinity as above.
  void set_table(Table table);

  // What shape and node say by themselves (local and relative scores) is multiplied by this: a plugin whose
  // scores are large keeps them below those of the table that way.
  void scale_own(double factor) { own_scale_ = factor; }
  // All terms since the last call are of the plugin.
  void named(const std::string& plugin) {
    for (Term& term : terms_)
      if (term.plugin.empty()) term.plugin = plugin;
  }
  // Shows each plugin's terms by themselves, for who explains a choice: visit(plugin, score), where score is
  // called as below.
  template <class Visit>
  void for_each_term(Visit visit) const {
    for (const Term& term : terms_)
      visit(term.plugin, [&](TaskId task, ShapeId shape, std::span<const NodeId> nodes,
                             std::span<double> sums) { add(term, task, shape, nodes, sums); });
  }

  // Adds all scores of the nodes, in the order of the plugins: the plain way.
  void score(TaskId task, ShapeId shape, std::span<const NodeId> nodes, std::span<double> sums) const;
  bool depends_on_task(TaskId task) const;
  const NodeScores* table(TaskId task) const { return table_ ? table_(task) : nullptr; }
  // The sum of local scores and keys, or nothing if some key is not exact for the node.
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
