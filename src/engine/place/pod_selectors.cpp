// Files each selector under a label value it requires, so that a task is compared with few of them.
#include "engine/place/pod_selectors.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool selects(const PodSelector& selector, const std::string& ns, const Labels& labels) {
  return std::all_of(selector.parts.begin(), selector.parts.end(), [&](const PodSelector::Part& part) {
    return (part.every_namespace || contains(part.namespaces, ns)) && matches(part.labels, labels);
  });
}

template <class Visit>
void for_each_list(const PodSelector& selector, const Visit& visit) {
  for (const PodSelector::Part& part : selector.parts)
    for (const Requirement& r : part.labels.requirements)
      if (r.op == Operator::kIn) visit(r);
}

}  // namespace

PodSelector::Part part_of(const PodAffinityTerm& term, const std::string& ns) {
  PodSelector::Part part{.labels = term.selector, .namespaces = term.namespaces};
  part.every_namespace = term.namespace_selector.present && term.namespace_selector.requirements.empty();
  if (part.namespaces.empty() && !term.namespace_selector.present) part.namespaces = {ns};
  if (part.every_namespace) part.namespaces.clear();
  std::sort(part.namespaces.begin(), part.namespaces.end());
  return part;
}

// ---------------------------------------------------------------- label values

void LabelValues::count(const PodSelector& selector) {
  for_each_list(selector, [&](const Requirement& r) {
    for (const std::string& value : r.values) ++askers_[{r.key, value}];
  });
}

const Requirement* LabelValues::narrowest(const PodSelector& selector) const {
  const Requirement* best = nullptr;
  for_each_list(selector, [&](const Requirement& r) {
    if (best == nullptr || askers(r) < askers(*best)) best = &r;
  });
  return best;
}

std::size_t LabelValues::askers(const Requirement& r) const {
  std::size_t most = 0;
  for (const std::string& value : r.values)
    if (const auto found = askers_.find({r.key, value}); found != askers_.end())
      most = std::max(most, found->second);
  return most;
}

// ---------------------------------------------------------------- selectors

SelectorId PodSelectors::add(const PodSelector& selector) {
  assert(matching_.empty() && "selectors come before tasks");
  const auto [found, is_new] = ids_.try_emplace(selector, selectors_.end_id());
  if (is_new) selectors_.push_back(selector);
  return found->second;
}

void PodSelectors::file_all() {
  LabelValues values;
  for (const PodSelector& selector : selectors_) values.count(selector);
  for (SelectorId id : ids(selectors_)) file(id, values);
}

void PodSelectors::file(SelectorId id, const LabelValues& values) {
  const Requirement* narrow = values.narrowest(selectors_[id]);
  if (narrow == nullptr) return without_label_.push_back(id);
  for (const std::string& value : narrow->values) {
    auto& filed = by_label_[{narrow->key, value}];
    if (filed.empty() || filed.back() != id) filed.push_back(id);
  }
}

PodClassId PodSelectors::classify(const std::string& ns, LabelSetId set, const Labels& labels) {
  if (matching_.empty()) file_all();
  const std::uint32_t space = namespaces_.try_emplace(ns, namespaces_.size()).first->second;
  const auto [found, is_new] = classes_.try_emplace({space, set}, matching_.end_id());
  if (is_new) matching_.push_back(find_matching(ns, labels));
  return found->second;
}

std::vector<SelectorId> PodSelectors::find_matching(const std::string& ns, const Labels& labels) const {
  std::vector<SelectorId> found;
  const auto test = [&](const std::vector<SelectorId>& candidates) {
    for (SelectorId id : candidates)
      if (selects(selectors_[id], ns, labels)) found.push_back(id);
  };
  test(without_label_);
  for (const auto& label : labels)
    if (const auto filed = by_label_.find(label); filed != by_label_.end()) test(filed->second);
  std::sort(found.begin(), found.end());
  return found;
}

bool PodSelectors::matches(SelectorId selector, PodClassId pods) const {
  return std::binary_search(matching_[pods].begin(), matching_[pods].end(), selector);
}

}  // namespace muster
