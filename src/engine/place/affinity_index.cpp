// Keeps a tally per term and domain of its label. A task that moves is counted in the terms it matches.
#include "engine/place/affinity_index.hpp"

#include <algorithm>

namespace muster {

AffinityIndex::AffinityIndex(const Cluster& cluster, TermsOf follows)
    : cluster_(cluster), follows_(follows), domains_(cluster), by_shape_(cluster.shapes().size()) {
  TermShapes shapes = term_shapes(cluster, follows);
  for (const auto& [shape, ns] : shapes.counted) {
    Terms terms;
    collect_terms(cluster.shape(shape).constraints, *ns, terms);
    if (!terms.near.empty() || !terms.wants.empty()) by_shape_[shape] = terms_.push_back(std::move(terms));
  }
  left_out_ = std::move(shapes.left_out);
  classify_tasks();
}

void AffinityIndex::collect_terms(const Constraints& c, const std::string& ns, Terms& terms) {
  if (follows_ == TermsOf::kRequired) {
    add_affinity(c.pod_affinity, ns, terms);
    for (const PodAffinityTerm& term : c.pod_anti_affinity) add_weighted(term, 1, ns, terms);
    return;
  }
  for (const PodAffinityTerm& term : c.preferred_affinity) add_weighted(term, term.weight, ns, terms);
  for (const PodAffinityTerm& term : c.preferred_anti_affinity) add_weighted(term, -term.weight, ns, terms);
}

// A pod counts only if it matches all terms.
void AffinityIndex::add_affinity(const std::vector<PodAffinityTerm>& affinity, const std::string& ns,
                                 Terms& terms) {
  if (affinity.empty()) return;
  PodSelector all;
  for (const PodAffinityTerm& term : affinity) all.parts.push_back(part_of(term, ns));
  terms.affinity = selectors_.add(all);
  for (const PodAffinityTerm& term : affinity)
    terms.near.push_back(tally_by(&Tallies::tasks, terms.affinity, domains_.add(term.topology_key)));
}

void AffinityIndex::add_weighted(const PodAffinityTerm& term, std::int64_t weight, const std::string& ns,
                                 Terms& terms) {
  if (weight == 0) return;
  const SelectorId selector = selectors_.add({.parts = {part_of(term, ns)}});
  const LabelKeyId label = domains_.add(term.topology_key);
  terms.wants.push_back({tally_by(&Tallies::tasks, selector, label), weight});
  terms.brings.push_back({tally_by(&Tallies::terms, selector, label), weight});
}

AffinityIndex::TallyId AffinityIndex::tally_by(std::vector<TallyId> Tallies::*list, SelectorId selector,
                                               LabelKeyId label) {
  by_selector_.resize(selectors_.size());
  auto& tallies = by_selector_[selector].*list;
  for (TallyId t : tallies)
    if (tallies_[t].label == label) return t;
  tallies.push_back(tallies_.push_back({.label = label, .sums = {}}));
  return tallies.back();
}

void AffinityIndex::classify_tasks() {
  classes_.resize(cluster_.tasks().size());
  for (TaskId t : ids(cluster_.tasks())) {
    const Task& task = cluster_.task(t);
    if (!task.alive) continue;
    classes_[t] = selectors_.classify(task.ns, task.labels, cluster_.labels_of(t));
    for_each_place(cluster_.placement(t), [&](NodeId node) { count(t, node, +1); });
  }
}

// ---------------------------------------------------------------- counting

void AffinityIndex::moved(TaskId task, const Placement& from, const Placement& to) {
  if (same_places(from, to)) return;
  for_each_place(from, [&](NodeId node) { count(task, node, -1); });
  for_each_place(to, [&](NodeId node) { count(task, node, +1); });
}

void AffinityIndex::count(TaskId task, NodeId node, std::int64_t sign) {
  const Counted counted{task, node, sign};
  for (SelectorId selector : selectors_.matching(classes_[task]))
    for (TallyId tally : by_selector_[selector].tasks) add(tally, counted, 1);
  if (const Terms* terms = terms_of(task))
    for (const Weighted& term : terms->brings) add(term.tally, counted, term.weight);
}

void AffinityIndex::add(TallyId tally, const Counted& counted, std::int64_t weight) {
  const DomainId domain = domains_.of(tallies_[tally].label, counted.node);
  if (!domain.valid()) return;
  auto& sums = tallies_[tally].sums;
  const auto at = sums.try_emplace(domain).first;
  Sum& sum = at->second;
  sum.amount += counted.sign * weight;
  if (counted.sign < 0 && sum.who == counted.task) sum.who = {};
  if (counted.sign > 0 && !sum.who.valid()) sum.who = counted.task;
  if (sum.amount == 0) sums.erase(at);
}

const AffinityIndex::Sum* AffinityIndex::find_sum(TallyId tally, NodeId node) const {
  const auto& sums = tallies_[tally].sums;
  if (sums.empty()) return nullptr;
  const auto at = sums.find(domains_.of(tallies_[tally].label, node));
  return at == sums.end() ? nullptr : &at->second;
}

std::int64_t AffinityIndex::sum(TallyId tally, NodeId node) const {
  const Sum* found = find_sum(tally, node);
  return found == nullptr ? 0 : found->amount;
}

// ---------------------------------------------------------------- queries

const AffinityIndex::Terms* AffinityIndex::terms_of(TaskId task) const {
  const TermsId id = by_shape_[cluster_.task(task).shape];
  return id.valid() ? &terms_[id] : nullptr;
}

template <class Visit>
void AffinityIndex::for_each_term_matching(TaskId task, Visit visit) const {
  for (SelectorId selector : selectors_.matching(classes_[task]))
    for (TallyId tally : by_selector_[selector].terms) visit(tally);
}

bool AffinityIndex::concerns(TaskId task) const {
  bool found = false;
  if (const Terms* terms = terms_of(task)) {
    if (!terms->near.empty()) return true;
    for (const Weighted& term : terms->wants) found |= !tallies_[term.tally].sums.empty();
  }
  for_each_term_matching(task, [&](TallyId tally) { found |= !tallies_[tally].sums.empty(); });
  return found;
}

bool AffinityIndex::meets_affinity(TaskId task, NodeId node) const {
  const Terms* terms = terms_of(task);
  if (terms == nullptr) return true;
  const bool has_labels = std::all_of(terms->near.begin(), terms->near.end(), [&](TallyId tally) {
    return domains_.of(tallies_[tally].label, node).valid();
  });
  if (!has_labels) return false;
  const bool has_company = std::all_of(terms->near.begin(), terms->near.end(),
                                       [&](TallyId tally) { return sum(tally, node) > 0; });
  return has_company || is_first(task, *terms);
}

bool AffinityIndex::is_first(TaskId task, const Terms& terms) const {
  return selectors_.matches(terms.affinity, classes_[task]) &&
         std::all_of(terms.near.begin(), terms.near.end(),
                     [&](TallyId tally) { return tallies_[tally].sums.empty(); });
}

std::int64_t AffinityIndex::own_terms(TaskId task, NodeId node) const {
  const Terms* terms = terms_of(task);
  if (terms == nullptr) return 0;
  std::int64_t total = 0;
  for (const Weighted& term : terms->wants) total += term.weight * sum(term.tally, node);
  return total;
}

std::int64_t AffinityIndex::terms_of_others(TaskId task, NodeId node) const {
  std::int64_t total = 0;
  for_each_term_matching(task, [&](TallyId tally) { total += sum(tally, node); });
  return total;
}

// ---------------------------------------------------------------- details for messages

// Required terms are in the order of the constraints.
AffinityIndex::Opposition AffinityIndex::unmet_affinity(TaskId task, NodeId node) const {
  const Terms* terms = terms_of(task);
  const auto& affinity = cluster_.shape_of(task).constraints.pod_affinity;
  for (std::size_t i = 0; terms != nullptr && i < terms->near.size(); ++i)
    if (sum(terms->near[i], node) <= 0) return {.term = &affinity[i]};
  return {};
}

AffinityIndex::Opposition AffinityIndex::own_opposition(TaskId task, NodeId node) const {
  const Terms* terms = terms_of(task);
  const auto& anti = cluster_.shape_of(task).constraints.pod_anti_affinity;
  for (std::size_t i = 0; terms != nullptr && i < terms->wants.size(); ++i)
    if (const Sum* found = find_sum(terms->wants[i].tally, node)) return {&anti[i], found->who};
  return {};
}

AffinityIndex::Opposition AffinityIndex::opposition_of_others(TaskId task, NodeId node) const {
  Opposition found;
  for_each_term_matching(task, [&](TallyId tally) {
    const Sum* sum = found.who.valid() ? nullptr : find_sum(tally, node);
    if (sum != nullptr && sum->who.valid()) found = {term_behind(tally, sum->who), sum->who};
  });
  return found;
}

const PodAffinityTerm* AffinityIndex::term_behind(TallyId tally, TaskId who) const {
  const auto& brings = terms_of(who)->brings;
  const auto at =
      std::find_if(brings.begin(), brings.end(), [&](const Weighted& w) { return w.tally == tally; });
  return &cluster_.shape_of(who).constraints.pod_anti_affinity[static_cast<std::size_t>(at - brings.begin())];
}

}  // namespace muster
