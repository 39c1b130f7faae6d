// Whose pod affinity terms count. A term is held against all pods that have a label value it asks for, and
// one that asks for none against all pods of its namespaces: so that no namespace can make that cost more
// than pods and terms together, only so many different terms of it may ask for the same. tenants.md 1.
#pragma once

#include <string>
#include <vector>

#include "engine/place/pod_selectors.hpp"
#include "model/cluster.hpp"

namespace muster {

enum class TermsOf : std::uint8_t { kRequired, kPreferred };

// Different selectors of one namespace that ask for the same label value, or for none.
inline constexpr std::size_t kMostTermsAlike = 256;

struct TermShape {
  ShapeId shape;
  const std::string* ns;  // of its pods: a shape with terms belongs to one namespace
};

struct TermShapes {
  std::vector<TermShape> counted;
  std::vector<ShapeId> left_out;  // in ascending order
};

// The shapes of all pods that have such terms. Where there are too many alike, those of the oldest pods
// count.
TermShapes term_shapes(const Cluster& cluster, TermsOf which);

}  // namespace muster
