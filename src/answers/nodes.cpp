// Checks every node with the rules of placement. Sorts the nodes that refuse: those that lack least come
// first.
#include "answers/nodes.hpp"

#include <algorithm>

#include "engine/place/node_index.hpp"
#include "engine/place/refusal_ledger.hpp"
#include "model/reason_text.hpp"

namespace muster::answers {
namespace {

constexpr std::size_t kMostExamples = 3, kMostClosest = 3;

bool is_about_nodes(const JobReason& r) {
  return r.rule == JobRule::kNoNode || r.rule == JobRule::kLargerThanAnyNode ||
         r.rule == JobRule::kTopology || r.rule == JobRule::kTopologyTooSmall;
}

const JobReason* reason_about_nodes(const WaitingJob& waiting) {
  const auto found = std::ranges::find_if(waiting.reasons, is_about_nodes);
  return found == waiting.reasons.end() ? nullptr : &*found;
}

// The pod that the reason is about, or else the pod to be placed next.
TaskId pod_in_question(Session& s, JobId job, const JobReason& reason) {
  if (reason.task.valid()) return reason.task;
  const Chunk& chunk = s.chunk(job);
  return chunk.tasks.empty() ? TaskId() : chunk.tasks.front();
}

std::optional<NodeRefusal> refusal_at(const Session& s, TaskId task, NodeId node) {
  auto refusal = refusal_of(s, s.cluster.task(task).shape, node);
  if (!refusal) refusal = s.hooks.node_filter(task, node);
  if (!refusal) return std::nullopt;
  return named(s, task, node, *std::move(refusal));
}

bool is_same(const NodeRefusal& a, const NodeRefusal& b) {
  return a.rule == b.rule && a.kind == b.kind && a.what == b.what;
}

class NodeView {
 public:
  NodeView(Session& s, TaskId task) : s_(s), task_(task), shape_(s.cluster.shape_of(task)) {
    for (NodeId n : s.cluster.nodes_by_name()) look_at(n);
  }

  // Uses the counts of the reason, if it has any: they consider the other pods of a gang.
  std::vector<RefusingNodes> table(const JobReason& reason) const {
    if (reason.nodes.empty()) return rows_;
    std::vector<RefusingNodes> table;
    for (const RefusalCount& counted : reason.nodes) {
      RefusingNodes row{.count = counted.nodes, .refusal = counted.refusal, .examples = {}};
      const auto seen = std::ranges::find_if(
          rows_, [&](const RefusingNodes& r) { return is_same(r.refusal, counted.refusal); });
      row.examples = seen == rows_.end() ? fitting_ : seen->examples;
      if (std::ssize(row.examples) > row.count) row.examples.resize(static_cast<std::size_t>(row.count));
      table.push_back(std::move(row));
    }
    return table;
  }

  std::vector<ClosestNode> closest(bool is_gang) {
    std::ranges::stable_sort(near_, {}, &Near::distance);
    std::vector<ClosestNode> list;
    for (const Near& n : near_)
      if (list.size() < kMostClosest) list.push_back({n.node, lacks(n, is_gang)});
    return list;
  }

 private:
  struct Near {
    NodeId node;
    double distance = 0;
    std::optional<NodeRefusal> fixed;  // independent of what is free on the node
  };

  void look_at(NodeId n) {
    auto refusal = refusal_at(s_, task_, n);
    if (!refusal) {
      if (fitting_.size() < kMostExamples) fitting_.push_back(s_.cluster.node(n).name);
      near_.push_back({n, 0, {}});
      return;
    }
    Near near{n, missing(n), {}};
    if (refusal->rule != NodeRule::kResources || near.distance == 0) near.distance += 1, near.fixed = refusal;
    near_.push_back(std::move(near));
    count(n, *std::move(refusal));
  }

  void count(NodeId n, NodeRefusal refusal) {
    auto at =
        std::ranges::find_if(rows_, [&](const RefusingNodes& r) { return is_same(r.refusal, refusal); });
    if (at == rows_.end()) at = rows_.insert(at, {.count = 0, .refusal = refusal, .examples = {}});
    ++at->count;
    if (refusal.available > at->refusal.available) at->refusal = std::move(refusal);
    if (at->examples.size() < kMostExamples) at->examples.push_back(s_.cluster.node(n).name);
  }

  // What the node lacks, as the sum of the missing parts of each request.
  double missing(NodeId n) const {
    double sum = 0;
    for (const Amount& a : shape_.request)
      if (const std::int64_t free = std::max<std::int64_t>(0, s_.cluster.free_or_releasing(a.kind, n));
          free < a.units)
        sum += static_cast<double>(a.units - free) / static_cast<double>(a.units);
    return sum;
  }

  std::string lacks(const Near& near, bool is_gang) const {
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    for (const Amount& a : shape_.request)
      if (const std::int64_t free = s_.cluster.free_or_releasing(a.kind, near.node); free < a.units)
        add(lack_text(s_.cluster, a.kind, a.units, free));
    if (near.fixed) add(muster::text_of(s_.cluster, *near.fixed));
    if (!text.empty()) return text;
    return is_gang ? "room for all pods that must start together"
                   : "room that is not reserved for other jobs";
  }

  Session& s_;
  const TaskId task_;
  const Shape& shape_;
  std::vector<RefusingNodes> rows_;
  std::vector<std::string> fitting_;
  std::vector<Near> near_;
};

}  // namespace

void look_at_nodes(Session& session, Explanation& e) {
  const JobReason* reason = reason_about_nodes(e.waiting);
  if (reason == nullptr) return;
  const TaskId task = pod_in_question(session, e.job, *reason);
  if (!task.valid()) return;
  NodeView view(session, task);
  e.nodes = view.table(*reason);
  std::ranges::stable_sort(e.nodes, std::greater(), &RefusingNodes::count);
  e.closest = view.closest(reason->is_gang);
}

}  // namespace muster::answers
