// Interning of shapes and label sets.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "model/shape.hpp"

namespace muster {

class ShapeTable {
 public:
  ShapeId intern(const PodObject& pod, KindTable& kinds);
  // The shape with the claims that it names, which ask for so many GPUs.
  ShapeId with_claims(ShapeId shape, const std::vector<ClaimId>& claims, std::int64_t gpus);
  ShapeId base_of(ShapeId id) const { return shapes_[id].base.valid() ? shapes_[id].base : id; }
  const Shape& operator[](ShapeId id) const { return shapes_[id]; }
  std::size_t size() const { return shapes_.size(); }
  // Pods with host ports or (anti-)affinity terms exist, and so placing one may forbid places to others.
  bool has_host_ports() const { return has_host_ports_; }
  bool has_pod_affinity() const { return has_pod_affinity_; }
  bool has_preferred_affinity() const { return has_preferred_affinity_; }

 private:
  void note(const Constraints& constraints);

  IdVector<ShapeId, Shape> shapes_;
  absl::flat_hash_map<std::string, ShapeId> by_key_;
  absl::flat_hash_map<std::pair<ShapeId, std::int64_t>, ShapeId> with_claims_;
  absl::flat_hash_map<std::string, NamespaceId> namespaces_;
  std::string key_;  // scratch
  bool has_host_ports_ = false, has_pod_affinity_ = false, has_preferred_affinity_ = false;
};

class LabelTable {
 public:
  LabelSetId intern(const Labels& labels);
  const Labels& operator[](LabelSetId id) const { return sets_[id]; }

 private:
  IdVector<LabelSetId, Labels> sets_;
  absl::flat_hash_map<std::string, LabelSetId> by_key_;
  std::string key_;  // scratch
};

}  // namespace muster
