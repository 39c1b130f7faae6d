// What a pending job requests when room is made for it, so that two jobs can be compared: every resource of
// every pod, all constraints on where the pods may go, and the jobs it may evict.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/term_shapes.hpp"
#include "engine/search/constraint_text.hpp"

namespace muster {

struct DemandSignature {
  struct Task {
    std::uint32_t place = 0;  // equal for the same pod set and constraints
    ShapeId shape;
  };
  std::uint32_t like = 0;   // equal for jobs that differ only in queue, amounts and number of pods
  std::vector<Task> tasks;  // those that are tried together: by place, then the largest first
};

// Lives as long as a session.
class DemandIndex {
 public:
  explicit DemandIndex(Session& session);
  // Valid until the next call.
  const DemandSignature& of(JobId job);
  // Whether each pod of `less` has a counterpart in `more` that requests no less of any resource. REQUIRES:
  // both have the same `like`.
  bool is_no_less(const DemandSignature& more, const DemandSignature& less) const;

 private:
  struct Known {
    std::uint64_t version = 0;  // version of the job
    DemandSignature ask;
  };
  void collect_selectors();
  void write(JobId job, DemandSignature& ask);
  void add_pod_set(const Job& job, std::uint32_t pod_set, std::string& text) const;
  std::uint32_t place_of(TaskId task);
  std::uint32_t work_out_place(TaskId task);
  std::uint32_t constraints_of(ShapeId shape);
  std::string text_of(const Shape& shape);
  bool is_larger(ShapeId a, ShapeId b) const;
  bool is_tied_to_itself(const Job& job, const DemandSignature& ask) const;

  Session& session_;
  ConstraintText constraint_text_;
  // `friends_` numbers the sets of selectors that match a pod.
  TextNumbers constraints_, places_, likes_, friends_;
  absl::flat_hash_map<ShapeId, std::uint32_t> of_shape_;
  // For tasks whose labels match no selector.
  absl::flat_hash_map<std::pair<std::uint32_t, ShapeId>, std::uint32_t> of_pod_set_;
  std::unique_ptr<PodSelectors> selectors_;  // of required pod affinity; null if there are none
  absl::flat_hash_map<JobId, Known> known_;
  std::string text_;  // a buffer
};

}  // namespace muster
