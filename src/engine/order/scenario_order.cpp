// A leaf walks through its list of pending jobs and merges the contestants at their positions.
#include "engine/order/scenario_order.hpp"

#include <algorithm>
#include <cassert>

namespace muster {

// ---------------------------------------------------------------- a leaf

void ScenarioLeaf::clear() {
  waiting = nullptr;
  at = next_own_place = next_ours = 0;
  ours_in_waiting.clear();
  ours.clear();
}

// Skips the contestants' own entries among the pending jobs.
void ScenarioLeaf::pass_own_places() {
  for (; next_own_place < ours_in_waiting.size() && ours_in_waiting[next_own_place] <= at; ++next_own_place)
    at += ours_in_waiting[next_own_place] == at;
}

// Skips the jobs after the head that request the same.
void ScenarioLeaf::pass_run() {
  const auto& jobs = waiting->jobs;
  const std::size_t end = next_ours < ours.size() ? ours[next_ours].place : jobs.size();
  const Demand& wanted = jobs[at].wanted;
  if (waiting->same_demand) {
    at = end;
  } else {
    do {
      ++at;
      pass_own_places();
    } while (at < end && jobs[at].wanted == wanted);
  }
  pass_own_places();
}

// ---------------------------------------------------------------- filling

ScenarioLeaf& ScenarioOrder::leaf_of(QueueId queue) {
  const bool is_new = !knows(queue);
  Node* node = node_of(queue);
  if (is_new) {
    node->leaf.waiting = waiting_.of(queue);
    leaves_.push_back(node);
  }
  return node->leaf;
}

void ScenarioOrder::add(const Contestant& contestant) {
  ScenarioLeaf& leaf = leaf_of(session_.cluster.job(contestant.job.job).queue);
  std::size_t place = 0;
  if (leaf.waiting != nullptr) {
    const auto& jobs = leaf.waiting->jobs;
    const auto stands_before = [&](const WaitingLine::Waiting& w) {
      return session_.job_before(w.job, contestant.job);
    };
    place = static_cast<std::size_t>(std::partition_point(jobs.begin(), jobs.end(), stands_before) -
                                     jobs.begin());
    if (const auto own = waiting_.place(contestant.job.job)) leaf.ours_in_waiting.push_back(*own);
  }
  leaf.ours.push_back({contestant, place});
}

void ScenarioOrder::sort(ScenarioLeaf& leaf) const {
  using Ours = ScenarioLeaf::Ours;
  std::sort(leaf.ours.begin(), leaf.ours.end(), [&](const Ours& a, const Ours& b) {
    return session_.job_before(a.contestant.job, b.contestant.job);
  });
  std::sort(leaf.ours_in_waiting.begin(), leaf.ours_in_waiting.end());
  leaf.pass_own_places();
}

void ScenarioOrder::start(std::span<const Contestant> contestants) {
  start_over();
  leaves_.clear();
  left_ = contestants.size();
  session_.stats.steps += kStepsOfAQueue * std::ssize(waiting_.queues());
  for (QueueId queue : waiting_.queues()) leaf_of(queue);
  for (const Contestant& c : contestants) add(c);
  for (Node* node : leaves_) sort(node->leaf);
  std::erase_if(leaves_, [](const Node* node) { return node->leaf.empty(); });
  if (filled_ == Filled::kByAge)
    link_by_age();
  else
    for (Node* node : leaves_) link(node);
  for (Node* node : leaves_) touch(node);
}

// Adds each queue with its oldest job, at its position among the queues added so far.
void ScenarioOrder::link_by_age() {
  std::sort(leaves_.begin(), leaves_.end(),
            [&](const Node* a, const Node* b) { return oldest(a->leaf) < oldest(b->leaf); });
  for (Node* node : leaves_) {
    there_ = oldest(node->leaf);
    link(node);
  }
  there_.reset();
}

Age ScenarioOrder::oldest(const ScenarioLeaf& leaf) const {
  const auto age_of = [&](JobId job) { return age(session_.cluster.job(job)); };
  std::optional<Age> oldest;
  if (leaf.waiting != nullptr) oldest = age_of(leaf.waiting->by_age.back());
  for (const ScenarioLeaf::Ours& ours : leaf.ours)
    if (const Age age = age_of(ours.contestant.job.job); !oldest || age < *oldest) oldest = age;
  return *oldest;
}

// The request of the best job added so far.
const Demand& ScenarioOrder::head_of_those_there(const ScenarioLeaf& leaf) const {
  const auto is_there = [&](JobId job) { return age(session_.cluster.job(job)) <= *there_; };
  const std::size_t waiting = leaf.waiting == nullptr ? 0 : leaf.waiting->jobs.size();
  std::size_t next = 0;
  auto own_place = leaf.ours_in_waiting.begin();
  for (std::size_t i = 0; i <= waiting; ++i) {
    for (; next < leaf.ours.size() && (leaf.ours[next].place <= i || i == waiting); ++next)
      if (is_there(leaf.ours[next].contestant.job.job)) return leaf.ours[next].contestant.wanted;
    if (own_place != leaf.ours_in_waiting.end() && *own_place == i)
      ++own_place;
    else if (i < waiting && is_there(leaf.waiting->jobs[i].job.job))
      return leaf.waiting->jobs[i].wanted;
  }
  assert(false && "a linked leaf has a job");
  return leaf.ours.front().contestant.wanted;
}

// ---------------------------------------------------------------- serving

QueueSide ScenarioOrder::side(QueueId queue, const ScenarioLeaf& best) const {
  if (there_) return {.queue = queue, .wanted = head_of_those_there(best)};
  return {.queue = queue,
          .wanted = best.ours_is_next() ? best.ours[best.next_ours].contestant.wanted
                                        : best.waiting->jobs[best.at].wanted};
}

// For a job that is not a contestant, `at` is the next one.
JobId ScenarioOrder::pop_head(ScenarioLeaf& leaf) {
  if (leaf.ours_is_next()) {
    --left_;
    return leaf.ours[leaf.next_ours++].contestant.job.job;
  }
  const JobId job = leaf.waiting->jobs[leaf.at++].job.job;
  leaf.pass_own_places();
  return job;
}

JobId ScenarioOrder::pop() {
  while (left_ > 0 && !empty()) {
    Node* node = first_leaf();
    JobId job;
    if (node->leaf.ours_is_next())
      job = pop_head(node->leaf);
    else
      node->leaf.pass_run();
    settle(node);
    if (job.valid()) return job;
  }
  return {};
}

JobId ScenarioOrder::pop_any() {
  if (empty()) return {};
  Node* node = first_leaf();
  const JobId job = pop_head(node->leaf);
  settle(node);
  return job;
}

}  // namespace muster
