// The distinct selectors of pod affinity terms, and which of them match a task. Tasks with the same labels in
// the same namespace are matched once. Selectors that require a label value are found by that value.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/objects.hpp"

namespace muster {

using SelectorId = Id<struct SelectorTag>;
using PodClassId = Id<struct PodClassTag>;  // tasks that no selector distinguishes

struct PodSelector {
  struct Part {
    LabelSelector labels;
    bool every_namespace = false;
    std::vector<std::string> namespaces;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // all must match
  bool operator==(const PodSelector&) const = default;

  template <class H>
  friend H AbslHashValue(H h, const PodSelector& s) {
    for (const Part& part : s.parts) {
      for (const Requirement& r : part.labels.requirements)
        h = H::combine(std::move(h), r.key, r.op, r.values);
      h = H::combine(std::move(h), part.every_namespace, part.namespaces);
    }
    return h;
  }
};

// The selector of a term of a pod in namespace `ns`. Labels of namespaces are unknown here: a namespace
// selector with requirements adds no namespaces, and an empty one adds all.
PodSelector::Part part_of(const PodAffinityTerm& term, const std::string& ns);

// Counts how many selectors require each label value. A selector is found fastest by its rarest value.
class LabelValues {
 public:
  void count(const PodSelector& selector);
  // The requirement whose values are rarest; null if no requirement lists values.
  const Requirement* narrowest(const PodSelector& selector) const;

 private:
  std::size_t askers(const Requirement& requirement) const;
  absl::flat_hash_map<std::pair<std::string, std::string>, std::size_t> askers_;
};

class PodSelectors {
 public:
  // All selectors must be added before the first call of classify().
  SelectorId add(const PodSelector& selector);
  PodClassId classify(const std::string& ns, LabelSetId set, const Labels& labels);

  // Sorted in ascending order.
  const std::vector<SelectorId>& matching(PodClassId pods) const { return matching_[pods]; }
  bool matches(SelectorId selector, PodClassId pods) const;
  std::size_t size() const { return selectors_.size(); }

 private:
  std::vector<SelectorId> find_matching(const std::string& ns, const Labels& labels) const;
  void file_all();
  void file(SelectorId id, const LabelValues& values);

  IdVector<SelectorId, PodSelector> selectors_;
  absl::flat_hash_map<PodSelector, SelectorId> ids_;
  absl::flat_hash_map<std::pair<std::string, std::string>, std::vector<SelectorId>> by_label_;
  std::vector<SelectorId> without_label_;

  absl::flat_hash_map<std::string, std::uint32_t> namespaces_;
  absl::flat_hash_map<std::pair<std::uint32_t, LabelSetId>, PodClassId> classes_;
  IdVector<PodClassId, std::vector<SelectorId>> matching_;
};

}  // namespace muster
