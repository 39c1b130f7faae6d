// Counts selectors by namespace and by the label value that they are found by.
#include "engine/place/term_shapes.hpp"

#include <absl/container/flat_hash_set.h>
#include <absl/container/node_hash_map.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/cycle/session.hpp"

namespace muster {
namespace {

using Terms = std::vector<PodAffinityTerm>;

struct Found {
  TermShape of;
  Age oldest;
  const Terms *near, *away;

  std::size_t terms() const { return near->size() + away->size(); }
  std::vector<PodSelector> selectors() const {
    std::vector<PodSelector> all;
    for (const Terms* terms : {near, away})
      for (const PodAffinityTerm& term : *terms) all.push_back({.parts = {part_of(term, *of.ns)}});
    return all;
  }
};

Found found_at(const Cluster& cluster, const Task& task, TermsOf which) {
  const Constraints& c = cluster.shape(task.shape).constraints;
  const bool is_required = which == TermsOf::kRequired;
  return {{task.shape, &task.ns},
          age(task),
          is_required ? &c.pod_affinity : &c.preferred_affinity,
          is_required ? &c.pod_anti_affinity : &c.preferred_anti_affinity};
}

// In the order of the pods.
std::vector<Found> find_all(const Cluster& cluster, TermsOf which) {
  std::vector<Found> found;
  constexpr std::uint32_t kNotSeen = 0, kWithout = 1, kFirst = 2;
  std::vector<std::uint32_t> place(cluster.shapes().size(), kNotSeen);
  for (const Task& task : cluster.tasks()) {
    if (!task.alive) continue;
    std::uint32_t& at = place[task.shape.index()];
    if (at == kNotSeen) {
      const Found first = found_at(cluster, task, which);
      at = first.terms() == 0 ? kWithout : kFirst + static_cast<std::uint32_t>(found.size());
      if (at != kWithout) found.push_back(first);
    } else if (at != kWithout) {
      found[at - kFirst].oldest = std::min(found[at - kFirst].oldest, age(task));
    }
  }
  return found;
}

// Admits selectors until there are too many similar ones.
class Crowd {
 public:
  explicit Crowd(const std::vector<Found>& all) {
    absl::flat_hash_set<PodSelector> seen;
    for (const Found& f : all)
      for (const PodSelector& s : f.selectors())
        if (seen.insert(s).second) values_.count(s);
  }

  // Admits all selectors or none.
  bool admits(const Found& f) {
    const std::vector<PodSelector> selectors = f.selectors();
    std::vector<std::pair<Alike*, const PodSelector*>> admitted;
    for (const PodSelector& s : selectors)
      for (const std::string& value : values_to_be_found_by(s)) {
        Alike& alike = alike_[{*f.of.ns, value}];
        if (!alike.insert(s).second) continue;
        admitted.emplace_back(&alike, &s);
        if (alike.size() <= kMostTermsAlike) continue;
        for (const auto& [where, selector] : admitted) where->erase(*selector);
        return false;
      }
    return true;
  }

 private:
  std::vector<std::string> values_to_be_found_by(const PodSelector& s) const {
    const Requirement* narrowest = values_.narrowest(s);
    if (narrowest == nullptr) return {""};
    std::vector<std::string> values;
    for (const std::string& value : narrowest->values) values.push_back(narrowest->key + "=" + value);
    return values;
  }

  using Alike = absl::flat_hash_set<PodSelector>;
  LabelValues values_;
  absl::node_hash_map<std::pair<std::string, std::string>, Alike> alike_;  // by namespace and label value
};

std::size_t count_terms(const std::vector<Found>& all) {
  std::size_t count = 0;
  for (const Found& f : all) count += f.terms();
  return count;
}

}  // namespace

TermShapes term_shapes(const Cluster& cluster, TermsOf which) {
  const std::vector<Found> all = find_all(cluster, which);
  TermShapes shapes;
  if (count_terms(all) > kMostTermsAlike) {
    std::vector<const Found*> by_age;
    for (const Found& f : all) by_age.push_back(&f);
    std::ranges::sort(by_age, {}, &Found::oldest);
    Crowd crowd(all);
    for (const Found* f : by_age)
      if (!crowd.admits(*f)) shapes.left_out.push_back(f->of.shape);
    std::ranges::sort(shapes.left_out);
  }
  for (const Found& f : all)
    if (!std::ranges::binary_search(shapes.left_out, f.of.shape)) shapes.counted.push_back(f.of);
  return shapes;
}

}  // namespace muster
