// Answers pod affinity without walking the pods. For every distinct term it counts, per domain of the term's
// topology label, the tasks that match the term and the tasks that have the term. It is built in one pass and
// updated by moved(). affinity_index_test.cpp compares it with a walk over all pods.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <vector>

#include "engine/place/label_domains.hpp"
#include "engine/place/term_shapes.hpp"
#include "model/cluster.hpp"

namespace muster {

class AffinityIndex {
 public:
  AffinityIndex(const Cluster& cluster, TermsOf follows);
  void moved(TaskId task, const Placement& from, const Placement& to);

  // Whether its terms are ignored because there are too many similar ones: term_shapes.hpp.
  bool is_left_out(ShapeId shape) const { return std::ranges::binary_search(left_out_, shape); }

  // If false, own_terms() and terms_of_others() are 0 and meets_affinity() is true for this task on every
  // node.
  bool concerns(TaskId task) const;
  // Required affinity. The first pod of a group with affinity to itself may go to any node that has the
  // labels of its terms.
  bool meets_affinity(TaskId task, NodeId node) const;
  // Counts the tasks in the node's domains that match the task's own terms: required anti-affinity terms
  // count 1 each, preferred terms count their weight (negative for anti-affinity).
  std::int64_t own_terms(TaskId task, NodeId node) const;
  // Likewise for the terms of the tasks in the node's domains that match this task.
  std::int64_t terms_of_others(TaskId task, NodeId node) const;

  // ---- The pod that blocks placement, for messages. Required terms only.
  struct Opposition {
    const PodAffinityTerm* term = nullptr;  // null if unknown
    TaskId who;                             // one of several; not valid if unknown
  };
  // Why meets_affinity() is false.
  Opposition unmet_affinity(TaskId task, NodeId node) const;
  // Why own_terms() or terms_of_others() is not 0.
  Opposition own_opposition(TaskId task, NodeId node) const;
  Opposition opposition_of_others(TaskId task, NodeId node) const;

 private:
  using TallyId = Id<struct TallyTag>;
  using TermsId = Id<struct TermsTag>;

  struct Sum {
    std::int64_t amount = 0;
    TaskId who;  // one of the counted tasks; not valid if it has left
  };
  struct Tally {
    LabelKeyId label;
    absl::flat_hash_map<DomainId, Sum> sums;  // no zero entries
  };
  struct Weighted {
    TallyId tally;
    std::int64_t weight = 0;
  };
  struct Terms {                   // of one shape
    SelectorId affinity;           // matches what all required affinity terms match
    std::vector<TallyId> near;     // tasks that `affinity` matches, by each label of the terms
    std::vector<Weighted> wants;   // tasks that the other terms match
    std::vector<Weighted> brings;  // tallies of these terms themselves
  };
  struct Tallies {               // of one selector, one per label
    std::vector<TallyId> tasks;  // counts tasks that the selector matches
    std::vector<TallyId> terms;  // counts terms with this selector
  };

  void collect_terms(const Constraints& constraints, const std::string& ns, Terms& terms);
  void add_affinity(const std::vector<PodAffinityTerm>& affinity, const std::string& ns, Terms& terms);
  void add_weighted(const PodAffinityTerm& term, std::int64_t weight, const std::string& ns, Terms& terms);
  TallyId tally_by(std::vector<TallyId> Tallies::*list, SelectorId selector, LabelKeyId label);
  void classify_tasks();
  void count(TaskId task, NodeId node, std::int64_t sign);
  struct Counted {
    TaskId task;
    NodeId node;
    std::int64_t sign = 1;
  };
  void add(TallyId tally, const Counted& counted, std::int64_t weight);
  const Sum* find_sum(TallyId tally, NodeId node) const;
  std::int64_t sum(TallyId tally, NodeId node) const;
  bool is_first(TaskId task, const Terms& terms) const;
  const Terms* terms_of(TaskId task) const;
  const PodAffinityTerm* term_behind(TallyId tally, TaskId who) const;
  template <class Visit>
  void for_each_term_matching(TaskId task, Visit visit) const;

  const Cluster& cluster_;
  const TermsOf follows_;
  LabelDomains domains_;
  PodSelectors selectors_;
  IdVector<SelectorId, Tallies> by_selector_;
  IdVector<TallyId, Tally> tallies_;
  IdVector<TermsId, Terms> terms_;
  IdVector<ShapeId, TermsId> by_shape_;
  std::vector<ShapeId> left_out_;
  IdVector<TaskId, PodClassId> classes_;
};

}  // namespace muster
