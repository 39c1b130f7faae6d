// Compares the index with a walk over all pods, on random clusters under random moves.
#include "engine/place/affinity_index.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/selectors.hpp"

namespace muster {
namespace {

// ---------------------------------------------------------------- reference: a walk over all pods

bool is_seen_on(const Placement& at, NodeId node) {
  return in(at.status, kActiveUsed) && (at.node == node || at.source == node);
}

bool takes_namespace(const PodAffinityTerm& term, const std::string& own, const std::string& ns) {
  const LabelSelector& selector = term.namespace_selector;
  if (selector.present && selector.requirements.empty()) return true;
  if (term.namespaces.empty()) return !selector.present && ns == own;
  return std::find(term.namespaces.begin(), term.namespaces.end(), ns) != term.namespaces.end();
}

class Walk {
 public:
  explicit Walk(const Cluster& cluster) : c_(cluster) {}

  bool term_matches(TaskId owner, const PodAffinityTerm& term, TaskId other) const {
    return takes_namespace(term, c_.task(owner).ns, c_.task(other).ns) &&
           matches(term.selector, c_.labels_of(other));
  }

  bool all_match(TaskId owner, TaskId other) const {
    const auto& terms = c_.shape_of(owner).constraints.pod_affinity;
    return std::all_of(terms.begin(), terms.end(),
                       [&](const PodAffinityTerm& term) { return term_matches(owner, term, other); });
  }

  // Calls `visit(other)` for every pod on a node with the same value of the label.
  template <class Visit>
  void for_each_near(const std::string& label, NodeId node, Visit visit) const {
    const std::string* value = c_.node(node).label(label);
    if (value == nullptr) return;
    for (NodeId there : c_.nodes_by_name()) {
      const std::string* same = c_.node(there).label(label);
      if (same == nullptr || *same != *value) continue;
      for (TaskId t : ids(c_.tasks()))
        if (is_seen_on(c_.placement(t), there)) visit(t);
    }
  }

  bool meets_affinity(TaskId task, NodeId node) const {
    bool has_company = true, is_first = all_match(task, task);
    for (const PodAffinityTerm& term : c_.shape_of(task).constraints.pod_affinity) {
      if (c_.node(node).label(term.topology_key) == nullptr) return false;
      bool is_near = false;
      for_each_near(term.topology_key, node, [&](TaskId other) { is_near |= all_match(task, other); });
      has_company &= is_near;
      for (NodeId any : c_.nodes_by_name())
        for_each_near(term.topology_key, any, [&](TaskId other) { is_first &= !all_match(task, other); });
    }
    return has_company || is_first;
  }

  using Lists = std::vector<std::pair<std::vector<PodAffinityTerm> Constraints::*, int>>;

  std::int64_t own_terms(TaskId task, NodeId node, const Lists& lists) const {
    std::int64_t total = 0;
    for_each_term(task, lists, [&](const PodAffinityTerm& term, std::int64_t weight) {
      for_each_near(term.topology_key, node,
                    [&](TaskId other) { total += term_matches(task, term, other) ? weight : 0; });
    });
    return total;
  }

  std::int64_t terms_of_others(TaskId task, NodeId node, const Lists& lists) const {
    std::int64_t total = 0;
    for (TaskId other : ids(c_.tasks()))
      for_each_term(other, lists, [&](const PodAffinityTerm& term, std::int64_t weight) {
        if (!term_matches(other, term, task)) return;
        for_each_near(term.topology_key, node, [&](TaskId near) { total += near == other ? weight : 0; });
      });
    return total;
  }

 private:
  template <class Visit>
  void for_each_term(TaskId task, const Lists& lists, Visit visit) const {
    for (const auto& [list, sign] : lists)
      for (const PodAffinityTerm& term : c_.shape_of(task).constraints.*list)
        visit(term, term.weight == 0 ? sign : sign * term.weight);
  }

  const Cluster& c_;
};

// ---------------------------------------------------------------- random clusters

template <class T>
T pick(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

LabelSelector any_selector() {
  const auto kind = *rc::gen::inRange(0, 8);
  if (kind == 0) return {};
  if (kind == 1) return {.present = true, .requirements = {}};
  if (kind == 2) return {true, {{"app", Operator::kExists, {}}}};
  if (kind == 3) return {true, {{"app", Operator::kNotIn, {"db"}}}};
  return {true, {{"app", Operator::kIn, {pick<std::string>({"db", "web"})}}}};
}

PodAffinityTerm any_term(std::int32_t weight) {
  PodAffinityTerm term{.selector = any_selector(), .topology_key = pick<std::string>({"host", "zone"})};
  if (*rc::gen::inRange(0, 4) == 0) term.namespaces = {pick<std::string>({"red", "blue"})};
  if (*rc::gen::inRange(0, 6) == 0) term.namespace_selector.present = true;
  if (*rc::gen::inRange(0, 6) == 0) term.namespace_selector = {true, {{"team", Operator::kIn, {"red"}}}};
  term.weight = weight;
  return term;
}

std::vector<PodAffinityTerm> some_terms(bool weighted) {
  std::vector<PodAffinityTerm> terms;
  for (int left = *rc::gen::inRange(0, 3); left > 0; --left)
    terms.push_back(any_term(weighted ? *rc::gen::inRange(1, 4) : 0));
  return terms;
}

Labels node_labels(int number) {
  Labels labels;
  if (*rc::gen::inRange(0, 5) > 0) labels.emplace_back("host", "n" + std::to_string(number));
  if (*rc::gen::inRange(0, 5) > 0) labels.emplace_back("zone", pick<std::string>({"a", "b"}));
  return labels;
}

PodObject any_pod(int number, int nodes) {
  PodObject pod{.meta = {.ns = pick<std::string>({"red", "blue"}), .name = "p" + std::to_string(number)}};
  if (*rc::gen::inRange(0, 4) > 0) pod.meta.labels = {{"app", pick<std::string>({"db", "web"})}};
  const int node = *rc::gen::inRange(-1, nodes);
  pod.phase = node >= 0 ? PodPhase::kRunning : PodPhase::kPending;
  if (node >= 0) pod.node = "n" + std::to_string(node);
  pod.constraints.pod_affinity = some_terms(false);
  pod.constraints.pod_anti_affinity = some_terms(false);
  pod.constraints.preferred_affinity = some_terms(true);
  pod.constraints.preferred_anti_affinity = some_terms(true);
  return pod;
}

void fill(Cluster& cluster) {
  const int nodes = *rc::gen::inRange(1, 5), pods = *rc::gen::inRange(1, 7);
  for (int i = 0; i < nodes; ++i)
    cluster.apply(NodeObject{.meta = {.name = "n" + std::to_string(i), .labels = node_labels(i)},
                             .allocatable = {{"pods", 100}}});
  for (int i = 0; i < pods; ++i) cluster.apply(any_pod(i, nodes));
  cluster.refresh({});
}

Placement any_placement(const Cluster& cluster, TaskId task) {
  const auto any_node = [&] { return NodeId(*rc::gen::inRange<std::size_t>(0, cluster.nodes().size())); };
  const Placement& at = cluster.placement(task);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return {.status = TaskStatus::kPending};
    case 1: {
      Placement evicted = at;
      evicted.virtually_evicted = true;
      evicted.status = at.node.valid() ? TaskStatus::kReleasing : TaskStatus::kPending;
      return evicted;
    }
    case 2:
      return {.status = TaskStatus::kPipelined, .node = any_node(), .source = at.node};
    default:
      return {.status = TaskStatus::kAllocated, .node = any_node()};
  }
}

// Moves tasks and undoes moves, as statements do.
template <class Check>
void wander(Cluster& cluster, AffinityIndex& index, Check check) {
  std::vector<std::pair<TaskId, Placement>> log;
  const auto move = [&](TaskId task, const Placement& to) {
    const Placement from = cluster.placement(task);
    cluster.move(task, to);
    index.moved(task, from, to);
    check();
  };
  check();
  for (int left = *rc::gen::inRange(0, 12); left > 0; --left) {
    if (!log.empty() && *rc::gen::inRange(0, 3) == 0) {
      move(log.back().first, log.back().second);
      log.pop_back();
      continue;
    }
    const TaskId task(*rc::gen::inRange<std::size_t>(0, cluster.tasks().size()));
    log.emplace_back(task, cluster.placement(task));
    move(task, any_placement(cluster, task));
  }
}

template <class DemandSignature>
void for_each_pair(const Cluster& cluster, DemandSignature ask) {
  for (TaskId task : ids(cluster.tasks()))
    for (NodeId node : cluster.nodes_by_name()) ask(task, node);
}

void check_index(TermsOf follows, const Walk::Lists& lists) {
  Cluster cluster({.node_pool_label = ""});
  fill(cluster);
  AffinityIndex index(cluster, follows);
  const Walk walk(cluster);
  const bool required = follows == TermsOf::kRequired;
  wander(cluster, index, [&] {
    for_each_pair(cluster, [&](TaskId task, NodeId node) {
      const std::int64_t own = index.own_terms(task, node), others = index.terms_of_others(task, node);
      const bool meets = index.meets_affinity(task, node);
      RC_ASSERT(own == walk.own_terms(task, node, lists));
      RC_ASSERT(others == walk.terms_of_others(task, node, lists));
      RC_ASSERT(meets == (!required || walk.meets_affinity(task, node)));
      RC_ASSERT(index.concerns(task) || (own == 0 && others == 0 && meets));
    });
  });
}

TEST(AffinityIndex, RequiredTermsMatchAScanOfAllPods) {
  EXPECT_TRUE(rc::check([] { check_index(TermsOf::kRequired, {{&Constraints::pod_anti_affinity, 1}}); }));
}

TEST(AffinityIndex, PreferredTermsMatchAScanOfAllPods) {
  EXPECT_TRUE(rc::check([] {
    check_index(TermsOf::kPreferred,
                {{&Constraints::preferred_affinity, 1}, {&Constraints::preferred_anti_affinity, -1}});
  }));
}

}  // namespace
}  // namespace muster
