// Adds up scores, and computes the keys by which an index sorts nodes in score order.
#include "engine/cycle/score_hook.hpp"

#include <stdexcept>

namespace muster {

void ScoreHook::score(TaskId task, ShapeId shape, std::span<const NodeId> nodes,
                      std::span<double> sums) const {
  add_own(shape, nodes, sums);
  for (const Term& term : terms_) add_of_task(term, task, nodes, sums);
}

void ScoreHook::add(const Term& term, TaskId task, ShapeId shape, std::span<const NodeId> nodes,
                    std::span<double> sums) const {
  std::vector<double> own(nodes.size(), 0);
  add_own_of(term, shape, nodes, own);
  for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += own_scale_ * own[i];
  add_of_task(term, task, nodes, sums);
}

void ScoreHook::add_of_task(const Term& term, TaskId task, std::span<const NodeId> nodes,
                            std::span<double> sums) const {
  if (term.is_table) {
    if (const NodeScores* scores = table_(task))
      for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += (*scores)[nodes[i]];
  } else if (term.applies && term.applies(task)) {
    term.of_task(task, nodes, sums);
  }
}

void ScoreHook::add_own_of(const Term& term, ShapeId shape, std::span<const NodeId> nodes,
                           std::span<double> own) {
  if (term.of_set) term.of_set(shape, nodes, own);
  if (term.local)
    for (std::size_t i = 0; i < nodes.size(); ++i) own[i] += term.local(shape, nodes[i]);
}

void ScoreHook::add_own(ShapeId shape, std::span<const NodeId> nodes, std::span<double> sums) const {
  std::vector<double> own(nodes.size(), 0);
  for (const Term& term : terms_) add_own_of(term, shape, nodes, own);
  for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += own_scale_ * own[i];
}

void ScoreHook::set_table(Table table) {
  if (table_) throw std::logic_error("two plugins provide a table of node scores; only one may");
  table_ = std::move(table);
  terms_.push_back({.is_table = true});
}

bool ScoreHook::depends_on_task(TaskId task) const {
  for (const Term& term : terms_)
    if (term.applies && term.applies(task)) return true;
  return false;
}

std::optional<double> ScoreHook::key(ShapeId shape, NodeId node) const {
  double sum = 0;
  for (const Term& term : terms_) {
    if (term.local) {
      sum += term.local(shape, node);
    } else if (term.key) {
      const auto key = term.key(shape, node);
      if (!key) return std::nullopt;
      sum += *key;
    }
  }
  return own_scale_ * sum;
}

}  // namespace muster
