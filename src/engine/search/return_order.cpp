// The victims' queue is served as long as it goes before the preemptor's queue. The request that counts for
// the preemptor's queue is the largest one among the jobs ahead of the preemptor.
#include "engine/search/return_order.hpp"

#include <algorithm>

namespace muster {
namespace {

// Whether the queue or an ancestor exceeds a limit: a job that leaves the queue may then not come back.
bool is_over_a_limit(const Cluster& c, QueueId queue) {
  for (QueueId q = queue; q.valid(); q = c.queue(q).parent)
    for (Accounted r : kAccounted)
      if (const double limit = c.queue(q).of(r).limit; limit >= 0 && c.use(q).allocated.share(r) > limit)
        return true;
  return false;
}

}  // namespace

void ReturnOrder::start(JobId preemptor, const WaitingLine& line) {
  line_ = &line;
  queue_ = session_.cluster.job(preemptor).queue;
  leaves_.clear();
  known_.clear();
  away_.clear();
  find_heaviest(preemptor);
}

// Orders the preemptor as a job below its minimum. No probe with some of its tasks is ordered later.
void ReturnOrder::find_heaviest(JobId preemptor) {
  heaviest_.reset();
  const WaitingLine::Leaf* leaf = line_->of(queue_);
  if (leaf == nullptr) return;
  const JobEntry mine = session_.entry(preemptor, ElasticState::kBelow);
  const auto gpus = [](const Demand& d) { return d.charge.units[index(Accounted::kGpus)]; };
  for (const WaitingLine::Waiting& w : leaf->jobs) {
    if (!session_.job_before(w.job, mine)) return;
    if (w.job.job != preemptor && (!heaviest_ || gpus(w.wanted) > gpus(*heaviest_))) heaviest_ = w.wanted;
  }
}

bool ReturnOrder::may_be_away(JobId victim) {
  if (!heaviest_) return true;
  if (known_.insert(victim) && !is_back_by_then(victim)) away_.insert(victim);
  return away_.contains(victim);
}

bool ReturnOrder::is_back_by_then(JobId victim) {
  const Leaf& its = leaf(session_.cluster.job(victim).queue);
  if (its.back == Back::kNothing || !comes_back_whole(victim)) return false;
  const JobEntry evicted = session_.entry(victim, ElasticState::kBelow);
  return its.back == Back::kAll || session_.job_before(evicted, its.stops_at);
}

// Whether the job leaves and returns as a whole: it is at its minimum, has no pending tasks, and its pods
// could start where they are now.
bool ReturnOrder::comes_back_whole(JobId victim) const {
  const Cluster& c = session_.cluster;
  const Job& job = c.job(victim);
  const auto is_bound_to_domains = [](const auto& part) { return part.topology != TopologyConstraint{}; };
  if (!job.is_in_named_queue || job.has_pending() || elastic_state(job) != ElasticState::kExact ||
      std::ranges::any_of(job.sets, is_bound_to_domains) ||
      std::ranges::any_of(job.pod_sets, is_bound_to_domains))
    return false;
  const auto is_taken_again = [&](TaskId t) {
    const Placement& at = c.placement(t);
    if (!in(at.status, kActiveAllocated)) return true;
    return c.node(at.node).present && !session_.hooks.shape_filter(c.task(t).shape, at.node) &&
           !session_.hooks.before_placing(t);
  };
  return std::ranges::all_of(job.pod_sets,
                             [&](const PodSet& p) { return std::ranges::all_of(p.tasks, is_taken_again); });
}

const ReturnOrder::Leaf& ReturnOrder::leaf(QueueId queue) {
  const auto [at, is_new] = leaves_.try_emplace(queue);
  if (is_new) at->second = work_out(queue);
  return at->second;
}

ReturnOrder::Leaf ReturnOrder::work_out(QueueId queue) const {
  const Cluster& c = session_.cluster;
  if (queue == c.queue_tree().no_queue() || is_over_a_limit(c, queue)) return {};
  const auto [mine, theirs] = leveled_pair(c, queue_, queue);
  if (mine == theirs || !goes_first(theirs, {}, mine)) return {};
  if (theirs == queue) {
    const auto stops = first_that_stops(queue, theirs, mine);
    return stops ? Leaf{Back::kThoseBefore, *stops} : Leaf{Back::kAll, {}};
  }
  for (QueueId other : line_->queues())
    if (is_at_or_below(c, other, theirs) && first_that_stops(other, theirs, mine)) return {};
  return {Back::kAll, {}};
}

// Counts all use of the queue plus the request. A queue with less use would come even earlier.
bool ReturnOrder::goes_first(QueueId theirs, const Demand& wanted, QueueId mine) const {
  return session_.hooks.queue_order(QueueSide{.queue = theirs, .wanted = wanted},
                                    QueueSide{.queue = mine, .wanted = *heaviest_}) < 0;
}

// The first pending job of the leaf that may let the preemptor's queue go first. A job with placed tasks
// counts as one, because it may request more after it has lost them.
std::optional<JobEntry> ReturnOrder::first_that_stops(QueueId leaf, QueueId theirs, QueueId mine) const {
  const WaitingLine::Leaf* waiting = line_->of(leaf);
  if (waiting == nullptr) return std::nullopt;
  const Demand* last = nullptr;
  for (const WaitingLine::Waiting& w : waiting->jobs) {
    const bool is_alike = last != nullptr && *last == w.wanted;
    if (session_.cluster.job(w.job.job).counts.active_allocated() > 0) return w.job;
    if (!is_alike && !goes_first(theirs, w.wanted, mine)) return w.job;
    last = &w.wanted;
  }
  return std::nullopt;
}

}  // namespace muster
