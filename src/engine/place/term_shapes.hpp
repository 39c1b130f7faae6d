// Decides which pod affinity terms count. A term is compared with all pods that have a label value it
// requires; a term that requires none is compared with all pods of its namespaces. To bound this cost, only a
// limited number of different terms per namespace may require the same value. tenants.md 1.
#pragma once

#include <string>
#include <vector>

#include "engine/place/pod_selectors.hpp"
#include "model/cluster.hpp"

namespace muster {

enum class TermsOf : std::uint8_t { kRequired, kPreferred };

// Maximum number of different selectors in one namespace that require the same label value, or none.
inline constexpr std::size_t kMostTermsAlike = 256;

struct TermShape {
  ShapeId shape;
  const std::string* ns;  // namespace of its pods; a shape with terms never has pods of two
};

struct TermShapes {
  std::vector<TermShape> counted;
  std::vector<ShapeId> left_out;  // in ascending order
};

// The shapes of all pods with such terms. If there are too many similar terms, those of the oldest pods
// count.
TermShapes term_shapes(const Cluster& cluster, TermsOf which);

}  // namespace muster
