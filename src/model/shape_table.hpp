// Interns shapes and label sets.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "model/free_ids.hpp"
#include "model/shape.hpp"

namespace muster {

// The part of a shape that decides which GPUs it can use: amounts and constraints on nodes. Most shapes
// differ in other parts.
struct Pattern {
  ShapeId shape;  // one of the shapes with this pattern
  std::string key;
  std::int64_t tasks = 0;  // over all its shapes
  bool operator==(const Pattern&) const = default;
};

// The resolved device claims of a shape.
struct ClaimedParts {
  std::vector<ClaimId> claims;                // for its references and for `of_containers`
  std::int64_t gpus = 0;                      // that the claims ask for
  std::vector<ClaimReference> of_containers;  // at most one
  std::vector<Kind> instead_of;               // amounts that the claim replaces
};

class ShapeTable {
 public:
  ShapeId intern(const PodObject& pod, KindTable& kinds);
  // The shape with these claims, or the shape itself if it has none.
  ShapeId with_claims(ShapeId shape, ClaimedParts parts);
  ShapeId base_of(ShapeId id) const { return shapes_[id].base.valid() ? shapes_[id].base : id; }
  const Shape& operator[](ShapeId id) const { return shapes_[id]; }
  const IdVector<ShapeId, Shape>& all() const { return shapes_; }
  std::size_t size() const { return shapes_.size(); }
  // Drops all other shapes, except those that a kept shape was derived from.
  void keep_only(Marks<ShapeId> used);
  // The number of known shapes.
  std::size_t count() const { return shapes_.size() - free_.size(); }
  // Patterns of shapes with GPUs, in the order in which they were first seen.
  const std::vector<Pattern>& patterns() const { return patterns_; }
  // Adds to the number of tasks with this shape.
  void count_tasks(ShapeId id, int tasks) {
    if (pattern_of_[id] != kNoPattern) patterns_[pattern_of_[id]].tasks += tasks;
  }
  void clear_counts() {
    for (Pattern& pattern : patterns_) pattern.tasks = 0;
  }
  // Whether there are pods with host ports or (anti-)affinity terms, so that placing one may exclude others.
  bool has_host_ports() const { return has_host_ports_; }
  bool has_pod_affinity() const { return has_pod_affinity_; }
  bool has_preferred_affinity() const { return has_preferred_affinity_; }

 private:
  NamespaceId intern_namespace(const std::string& name);
  void note(const Constraints& constraints);
  ShapeId add(Shape shape);
  std::uint32_t pattern_for(ShapeId id);
  void keep_patterns_of(const Marks<ShapeId>& used);

  static constexpr std::uint32_t kNoPattern = 0xFFFFFFFF;
  IdVector<ShapeId, Shape> shapes_;
  IdVector<ShapeId, std::uint32_t> pattern_of_;
  std::vector<Pattern> patterns_;
  absl::flat_hash_map<std::string, std::uint32_t> patterns_by_key_;
  absl::flat_hash_map<std::string, ShapeId> by_key_;
  struct ClaimsKey {
    ShapeId base;
    std::int64_t gpus = 0;
    ClaimId of_containers;
    std::vector<Kind> instead_of;
    bool operator==(const ClaimsKey&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const ClaimsKey& key) {
      return H::combine(std::move(h), key.base, key.gpus, key.of_containers, key.instead_of);
    }
  };
  absl::flat_hash_map<ClaimsKey, ShapeId> with_claims_;
  absl::flat_hash_map<std::string, NamespaceId> namespaces_;
  IdVector<NamespaceId, bool> namespace_ids_;
  FreeIds<ShapeId> free_;
  FreeIds<NamespaceId> free_namespaces_;
  std::string key_;  // scratch
  bool has_host_ports_ = false, has_pod_affinity_ = false, has_preferred_affinity_ = false;
};

class LabelTable {
 public:
  LabelSetId intern(const Labels& labels);
  const Labels& operator[](LabelSetId id) const { return sets_[id]; }
  std::size_t size() const { return sets_.size(); }
  std::size_t count() const { return sets_.size() - free_.size(); }
  // Drops all other label sets.
  void keep_only(const Marks<LabelSetId>& used) { free_.sweep(by_key_, sets_, used); }

 private:
  FreeIds<LabelSetId> free_;
  IdVector<LabelSetId, Labels> sets_;
  absl::flat_hash_map<std::string, LabelSetId> by_key_;
  std::string key_;  // scratch
};

}  // namespace muster
