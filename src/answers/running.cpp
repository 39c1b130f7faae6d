// Scores the current places of a running job, and checks for every pending job whether the rules would let it
// preempt the running one.
#include "answers/running.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "engine/cycle/session.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "engine/place/node_index.hpp"

namespace muster::answers {
namespace {

constexpr std::size_t kMostPlaces = 3, kMostPreemptors = 5, kMostOthers = 5;

double sum_of(const std::vector<ScoreTerm>& terms) {
  double sum = 0;
  for (const ScoreTerm& t : terms) sum += t.score;
  return sum;
}

// Scores the node as if the pod were to be placed now.
PlacedPod score_place(const State& state, const Cluster& after, TaskId task) {
  PlacedPod place{
      .task = task, .node = after.placement(task).node, .terms = {}, .next_best = {}, .next_terms = {}};
  Cluster without = after;
  without.move(task, {.status = TaskStatus::kPending});
  const Session s(without, state.policy, state.now);
  std::vector<NodeId> nodes;
  for (NodeId n : without.nodes_by_name())
    if (n == place.node || !refusal_of(s, without.task(task).shape, n)) nodes.push_back(n);
  std::map<NodeId, std::vector<ScoreTerm>> by_node;
  s.hooks.node_score.for_each_term([&](const std::string& name, const auto& score) {
    std::vector<double> scores(nodes.size(), 0);
    score(task, without.task(task).shape, nodes, scores);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (scores[i] != 0) by_node[nodes[i]].push_back({name, scores[i]});
  });
  place.terms = by_node[place.node];
  double best = -std::numeric_limits<double>::infinity();
  for (NodeId n : nodes) {
    if (n == place.node || sum_of(by_node[n]) <= best) continue;
    best = sum_of(by_node[n]);
    place.next_best = without.node(n).name;
    place.next_terms = by_node[n];
  }
  return place;
}

class Takers {
 public:
  Takers(Session& s, JobId victim) : s_(s), victim_(victim) {}

  void look(Running& running) {
    running.may_lose_pods = can_lose_tasks(s_.cluster.job(victim_));
    if (!running.may_lose_pods) return;
    // Checks the protection against its own queue and against all others, independent of a preemptor.
    take_later(s_.hooks.preempt_victim(victim_, victim_), running.protected_until);
    take_later(s_.hooks.reclaim_victim(victim_, victim_), running.protected_until);
    for (JobOrder order = waiting_jobs(s_, ""); !order.empty();) {
      const JobId preemptor = order.pop();
      if (preemptor == victim_) continue;
      auto taker = taken_by(preemptor);
      if (!taker) continue;
      if (taker->until && (!running.protected_until || *taker->until > *running.protected_until))
        running.protected_until = taker->until;
      if (running.preemptors.size() < kMostPreemptors) running.preemptors.push_back(*std::move(taker));
    }
  }

  // Returns nothing if the rules never allow it, at any time.
  std::optional<Preemptor> taken_by(JobId preemptor) const {
    const bool same_queue = s_.cluster.job(preemptor).queue == s_.cluster.job(victim_).queue;
    return same_queue ? by_preemption(preemptor) : by_reclaim(preemptor);
  }

 private:
  static void take_later(const std::optional<VictimRefusal>& why, std::optional<TimePoint>& until) {
    if (why && why->until && (!until || *why->until > *until)) until = why->until;
  }

  static Preemptor taker(JobId job, const char* action, const std::optional<VictimRefusal>& why) {
    Preemptor t{.job = job, .action = action, .rule = {}, .until = {}};
    if (why) t.rule = why->rule, t.until = why->until;
    return t;
  }

  std::optional<Preemptor> by_preemption(JobId preemptor) const {
    if (s_.cluster.job(victim_).priority >= s_.cluster.job(preemptor).priority) return std::nullopt;
    const auto why = s_.hooks.preempt_victim(preemptor, victim_);
    if (why && !why->until) return std::nullopt;
    return taker(preemptor, "preempt", why);
  }

  std::optional<Preemptor> by_reclaim(JobId preemptor) const {
    if (!s_.hooks.may_reclaim || !s_.hooks.may_reclaim(preemptor)) return std::nullopt;
    if (s_.hooks.reclaim_from_queue(preemptor, s_.cluster.job(victim_).queue)) return std::nullopt;
    const auto why = s_.hooks.reclaim_victim(preemptor, victim_);
    if (why && !why->until) return std::nullopt;
    return taker(preemptor, "reclaim", why);
  }

  Session& s_;
  const JobId victim_;
};

}  // namespace

Running look_at_places(const State& state, const Cluster& after, JobId id) {
  Running running;
  for (const PodSet& set : after.job(id).pod_sets)
    for (TaskId t : set.tasks) {
      if (!in(after.placement(t).status, kAllocatedSet) || !after.placement(t).node.valid()) continue;
      if (running.placed_pods.size() < kMostPlaces)
        running.placed_pods.push_back(score_place(state, after, t));
      else
        ++running.more_placed_pods;
    }
  Cluster copy = after;
  Session session(copy, state.policy, state.now);
  Takers(session, id).look(running);
  return running;
}

std::vector<std::string> others_to_evict(const State& state, JobId preemptor, JobId victim) {
  Cluster copy = state.cluster;
  Session session(copy, state.policy, state.now);
  std::vector<std::string> names;
  for (JobId j : ids(copy.jobs())) {
    if (j == victim || j == preemptor || !copy.job(j).present || !can_lose_tasks(copy.job(j))) continue;
    const auto taker = Takers(session, j).taken_by(preemptor);
    if (taker && !taker->until && names.size() < kMostOthers) names.push_back(copy.job(j).full_name());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace muster::answers
