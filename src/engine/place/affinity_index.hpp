// Pod affinity without walking the pods: for every distinct term, how many tasks that it matches, and how
// much of the term itself, stand in each domain of its topology label. Built in one pass, then kept by
// moved(). affinity_index_test.cpp holds it against a walk over all pods.
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

  // Its terms do not count, because there are too many like them: term_shapes.hpp.
  bool is_left_out(ShapeId shape) const { return std::ranges::binary_search(left_out_, shape); }

  // False: for this task own_terms() and terms_of_others() are 0 and meets_affinity() is true everywhere.
  bool concerns(TaskId task) const;
  // Required affinity. The first of a series that has affinity to itself may go wherever its labels are.
  bool meets_affinity(TaskId task, NodeId node) const;
  // The task's required anti-affinity terms, each 1, or its preferred ones, each its weight (negative for
  // anti-affinity), times the tasks in the node's domains that they match.
  std::int64_t own_terms(TaskId task, NodeId node) const;
  // The same terms of the tasks that stand in the node's domains, where they match this task.
  std::int64_t terms_of_others(TaskId task, NodeId node) const;

  // ---- in whose way, for messages; only of required terms
  struct Opposition {
    const PodAffinityTerm* term = nullptr;  // null: not known
    TaskId who;                             // one of several; not valid: not known
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
    TaskId who;  // one that is counted; not valid where it has left
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
    std::vector<TallyId> near;     // tasks that `affinity` matches, by each of the terms' labels
    std::vector<Weighted> wants;   // tasks that the other terms match
    std::vector<Weighted> brings;  // the tallies of these terms themselves
  };
  struct Tallies {               // of one selector, one per label
    std::vector<TallyId> tasks;  // that it matches
    std::vector<TallyId> terms;  // of which it is the selector
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
