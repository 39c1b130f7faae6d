// Compares the search for domains with a plain one, which sums again, sorts the whole tree and lists all
// candidates.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/statement.hpp"
#include "plugins/topology/search.hpp"
#include "policy/policy.hpp"
#include "tests/check_clusters.hpp"

namespace muster {
namespace {

using plugins::DomainQuestion;
using plugins::DomainRoom;
using plugins::DomainSearch;
using plugins::GroupDemand;
using plugins::RoomOf;
using plugins::TopologyLevels;

// ---------------------------------------------------------------- the plain search

class PlainSearch {
 public:
  PlainSearch(const Cluster& cluster, const DomainQuestion& question)
      : c_(cluster), q_(question), tree_(*question.tree) {}

  // "rack: n1 n2" for each candidate, in order.
  std::vector<std::string> run() {
    for (TopologyDomainId d = TopologyTree::root(); d.valid(); d = only_child(d)) top_ = d;
    std::vector<std::string> found;
    if (!is_enough(top_)) return found;
    std::vector<std::vector<TopologyDomainId>> levels{{top_}};
    while (!levels.back().empty()) levels.push_back(sorted_children(levels.back()));
    const std::uint32_t finest = q_.levels.finest();
    if (finest < tree_[top_].level) {
      if ((q_.uses_finer_domain || q_.demand.wants_nothing()) && is_home(top_)) found.push_back(text(top_));
      return found;
    }
    for (std::uint32_t level = finest; level + 1 > std::max(q_.levels.required, tree_[top_].level); --level) {
      for (TopologyDomainId d : levels[level - tree_[top_].level])
        if (is_enough(d) && is_home(d)) found.push_back(text(d));
      if (level == 0) break;
    }
    return found;
  }

 private:
  bool is_valid(std::uint32_t rank) const { return q_.allowed == nullptr || q_.allowed->test(rank); }
  std::size_t valid_in(TopologyDomainId d) const {
    const auto ranks = tree_.ranks(d);
    return static_cast<std::size_t>(
        std::count_if(ranks.begin(), ranks.end(), [&](std::uint32_t r) { return is_valid(r); }));
  }
  // The child that contains all of the nodes.
  TopologyDomainId only_child(TopologyDomainId d) const {
    TopologyDomainId only;
    const std::size_t all = valid_in(TopologyTree::root());
    if (all == 0 || (q_.levels.preferred && tree_[d].level == *q_.levels.preferred)) return {};
    tree_.for_each_child(d, [&](TopologyDomainId c) {
      if (valid_in(c) == all) only = c;
    });
    return only;
  }
  double ratio(TopologyDomainId d) const {
    double most = 0;
    for (const Amount& a : q_.demand.sum) {
      std::int64_t free = 0;
      for (std::uint32_t rank : tree_.ranks(d))
        free += c_.free_or_releasing(a.kind, c_.nodes_by_name()[rank]);
      most = std::max(most, free <= 0 ? 1000 : static_cast<double>(a.units) / static_cast<double>(free));
    }
    return most;
  }
  bool is_enough(TopologyDomainId d) const {
    if (q_.demand.wants_nothing()) return !tree_.ranks(d).empty();
    if (!q_.demand.is_homogeneous) return ratio(d) <= 1;
    std::int64_t pods = 0;
    for (std::uint32_t rank : tree_.ranks(d))
      pods += plugins::pods_that_fit(c_, c_.nodes_by_name()[rank], q_.demand.largest, RoomOf::kNow);
    return pods >= q_.demand.tasks;
  }
  bool is_home(TopologyDomainId d) const {
    return !q_.is_anchored ||
           std::binary_search(q_.anchors.begin(), q_.anchors.end(), tree_.ancestor(d, q_.levels.required));
  }
  std::vector<TopologyDomainId> sorted_children(const std::vector<TopologyDomainId>& parents) const {
    std::vector<TopologyDomainId> all;
    for (TopologyDomainId p : parents) {
      std::vector<TopologyDomainId> children;
      tree_.for_each_child(p, [&](TopologyDomainId c) { children.push_back(c); });
      std::sort(children.begin(), children.end(), [&](TopologyDomainId a, TopologyDomainId b) {
        return ratio(a) != ratio(b) ? ratio(a) > ratio(b) : tree_[a].id < tree_[b].id;
      });
      all.insert(all.end(), children.begin(), children.end());
    }
    return all;
  }
  std::string text(TopologyDomainId d) const {
    std::string out = tree_[d].id + ":";
    std::set<std::uint32_t> ranks;
    for (std::uint32_t rank : tree_.ranks(d))
      if (is_valid(rank)) ranks.insert(rank);
    for (std::uint32_t rank : ranks) out += fmt::format(" {}", rank);
    return out;
  }

  const Cluster& c_;
  const DomainQuestion& q_;
  const TopologyTree& tree_;
  TopologyDomainId top_;
};

std::vector<std::string> run(DomainSearch& search) {
  std::vector<std::string> found;
  while (const Bitmap* set = search.next()) {
    std::string out = search.place() + ":";
    set->for_each([&](std::size_t rank) { out += fmt::format(" {}", rank); });
    found.push_back(std::move(out));
  }
  return found;
}

// ---------------------------------------------------------------- random questions

DomainQuestion random_question(const Cluster& c, DomainRoom& room, Bitmap& allowed, Dice dice) {
  DomainQuestion q{.tree = c.topology("net"), .room = &room};
  q.levels.required = static_cast<std::uint32_t>(dice.roll(4));
  if (q.levels.required == 0 || dice.roll(2) == 0)
    q.levels.preferred =
        std::max<std::uint32_t>(1, q.levels.required) +
        static_cast<std::uint32_t>(dice.roll(4 - static_cast<int>(std::max(1U, q.levels.required))));
  q.uses_finer_domain = dice.roll(2) == 1;
  std::vector<TaskId> tasks;
  for (int i = 0, count = 1 + dice.roll(3); i < count; ++i)
    tasks.push_back(TaskId(static_cast<std::size_t>(dice.roll(static_cast<int>(c.tasks().size())))));
  if (dice.roll(2) == 1) tasks.assign(tasks.size(), tasks[0]);
  q.demand = plugins::demand_of(c, tasks);
  allowed = Bitmap(c.nodes_by_name().size());
  for (std::size_t rank = 0; rank < allowed.size(); ++rank) allowed.set(rank, dice.roll(4) > 0);
  if (dice.roll(3) > 0) q.allowed = &allowed;
  if (q.levels.required > 0 && dice.roll(3) == 0) {
    q.is_anchored = true;
    for (std::size_t i = 0; i < q.tree->size(); ++i)
      if ((*q.tree)[TopologyDomainId(i)].level == q.levels.required && dice.roll(2) == 1)
        q.anchors.push_back(TopologyDomainId(i));
  }
  return q;
}

Policy allocate_only() {
  Config config;
  config.actions = {"allocate"};
  std::vector<Error> errors;
  return policy::make_policy(config, errors);
}

TEST(TopologySearch, FindsWhatSortingTheWholeTreeFinds) {
  int candidates = 0;
  check_clusters(1000, [&, policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    Session session(cluster, policy, random_cluster_now());
    if (cluster.tasks().empty() || cluster.nodes_by_name().empty()) return;
    DomainRoom room(cluster, *cluster.topology("net"));
    DomainSearch search(cluster);
    Statement statement(session);
    for (std::uint64_t number : *numbers_up_to(10)) {
      Dice dice(number);
      const TaskId t(static_cast<std::size_t>(dice.roll(static_cast<int>(cluster.tasks().size()))));
      if (cluster.task(t).in_job() && in(cluster.placement(t).status, kActiveAllocated)) statement.evict(t);
      if (dice.roll(4) == 0) statement.rollback(0);
      Bitmap allowed;
      const DomainQuestion question = random_question(cluster, room, allowed, dice);
      search.start(question);
      const std::vector<std::string> found = run(search);
      candidates += static_cast<int>(found.size());
      RC_ASSERT(found == PlainSearch(cluster, question).run());
    }
  });
  EXPECT_GT(candidates, 1000);
}

// ---------------------------------------------------------------- whole cycles

// The domain of the level that contains the task's node; invalid: none.
TopologyDomainId domain_of(const Cluster& c, const TopologyTree& tree, TaskId t, const std::string& level) {
  const Placement& at = c.placement(t);
  if (!in(at.status, kActiveAllocated)) return {};
  const TopologyDomainId leaf = tree.leaf(c.rank(at.node));
  return leaf.valid() ? tree.ancestor(leaf, *tree.level(level)) : leaf;
}

// All pods of a pod set that had no pods before.
void assert_in_one_domain(const Cluster& c, const PodSet& set, const TopologyConstraint& constraint) {
  if (constraint.topology != "net" || constraint.required.empty()) return;
  const TopologyTree& tree = *c.topology("net");
  std::set<TopologyDomainId> domains;
  int placed = 0;
  for (TaskId t : set.tasks) {
    if (!in(c.placement(t).status, kActiveAllocated)) continue;
    ++placed;
    domains.insert(domain_of(c, tree, t, constraint.required));
  }
  RC_ASSERT(placed == 0 || (domains.size() == 1 && domains.begin()->valid()));
}

TEST(TopologySearch, PodsStayWithinTheDomainTheyRequire) {
  check_clusters(1000, [policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    cluster.refresh(random_cluster_now());
    std::set<const PodSet*> ran;
    for (const Job& job : cluster.jobs())
      for (const PodSet& set : job.pod_sets)
        if (set.counts.in(kActiveUsed) > 0) ran.insert(&set);
    in_cycle(cluster, policy, [&](const Cluster& c) {
      for (const Job& job : c.jobs())
        for (const PodSet& set : job.pod_sets) {
          if (ran.contains(&set)) continue;
          assert_in_one_domain(c, set, set.topology);
          for (std::uint32_t above = set.parent;; above = job.sets[above].parent) {
            assert_in_one_domain(c, set, job.sets[above].topology);
            if (above == 0) break;
          }
        }
    });
  });
}

}  // namespace
}  // namespace muster
