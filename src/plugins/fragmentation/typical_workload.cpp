// Sorts the request patterns that the model counted, and groups them by the nodes that they may use.
#include "plugins/fragmentation/typical_workload.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

constexpr std::size_t kMostPatterns = 256, kMostPlaces = 64;

bool have_same_places(const Constraints& a, const Constraints& b) {
  return a.node_selector == b.node_selector && a.has_required_affinity == b.has_required_affinity &&
         a.required_affinity == b.required_affinity && a.tolerations == b.tolerations;
}

// Returns the index of the shape's node rules in `places`; appends the rules if they are new.
std::size_t find_places(const Cluster& c, ShapeId shape, std::vector<ShapeId>& places) {
  const auto at = std::find_if(places.begin(), places.end(), [&](ShapeId known) {
    return have_same_places(c.shape(known).constraints, c.shape(shape).constraints);
  });
  if (at == places.end() && places.size() < kMostPlaces) return places.push_back(shape), places.size() - 1;
  return static_cast<std::size_t>(at - places.begin());
}

}  // namespace

TypicalWorkload typical_workload(const Cluster& cluster) {
  std::vector<const Pattern*> patterns;
  for (const Pattern& pattern : cluster.shapes().patterns())
    if (pattern.tasks > 0) patterns.push_back(&pattern);
  std::sort(patterns.begin(), patterns.end(), [](const Pattern* a, const Pattern* b) {
    return a->tasks != b->tasks ? a->tasks > b->tasks : a->key < b->key;
  });
  if (patterns.size() > kMostPatterns) patterns.resize(kMostPatterns);
  TypicalWorkload workload;
  for (const Pattern* pattern : patterns) {
    const std::size_t places = find_places(cluster, pattern->shape, workload.places);
    if (places == kMostPlaces) continue;
    workload.pods.push_back({.shape = pattern->shape, .tasks = pattern->tasks, .places = places});
    workload.tasks += pattern->tasks;
    workload.has_shares = workload.has_shares || cluster.shape(pattern->shape).is_shared();
  }
  return workload;
}

bool may_use(const Shape& shape, const Node& node) {
  return node.usable() && selects(shape.constraints, node) &&
         tolerates_all(shape.constraints.tolerations, node.taints);
}

}  // namespace muster::plugins
