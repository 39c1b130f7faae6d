// Applies the rules in order. The first that distinguishes the two queues decides.
#include "plugins/proportion/order.hpp"

#include <algorithm>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {
namespace {

constexpr int kLeft = -1, kRight = 1;

// Returns the side with `true`, or equality if both have the same value.
int first_of(bool left, bool right) { return left == right ? 0 : left ? kLeft : kRight; }
int smaller(double left, double right) { return left == right ? 0 : left < right ? kLeft : kRight; }

}  // namespace

QueueOrder::QueueOrder(const Session& session, const QueueShares& shares)
    : cluster_(session.cluster),
      shares_(shares),
      bounds_(session.cluster.queues().size()),
      known_(session.cluster.queues().size()) {
  for (QueueId q : ids(cluster_.queues()))
    for (Accounted r : kAccounted) {
      const double allocatable = shares_.allocatable(q, r);
      bounds_[q][index(r)] = allocatable == fairshare::kUnlimited ? cluster_.total().share(r) : allocatable;
    }
}

int QueueOrder::compare(const QueueSide& l, const QueueSide& r) const {
  const QueueId no_queue = cluster_.queue_tree().no_queue();
  if (const int o = first_of(l.queue != no_queue, r.queue != no_queue)) return o;
  const Rank left = rank_of(l), right = rank_of(r);
  if (const int o = first_of(!left.is_over_used, !right.is_over_used)) return o;
  if (const int o = first_of(left.is_within_quota, right.is_within_quota)) return o;
  const Queue &x = cluster_.queue(l.queue), &y = cluster_.queue(r.queue);
  if (x.priority != y.priority) return x.priority > y.priority ? kLeft : kRight;
  if (const int o = first_of(!left.takes_of_nothing, !right.takes_of_nothing)) return o;
  if (const int o = smaller(left.share_with_job, right.share_with_job)) return o;
  if (const int o = smaller(left.share, right.share)) return o;
  if (const int o = first_of(may_hold_no_more(l.queue, r.queue), may_hold_no_more(r.queue, l.queue)))
    return o;
  return x.meta.created < y.meta.created ? kLeft : kRight;
}

QueueOrder::Rank QueueOrder::rank_of(const QueueSide& side) const {
  CachedRank& known = known_[side.queue][side.wanted == Demand{}];
  const Charge& held = cluster_.use(side.queue).allocated;
  if (!known.rank || known.held != held || known.wanted != side.wanted || known.victims != side.victims)
    known = {held, side.wanted, side.victims, work_out(side)};
  return *known.rank;
}

QueueOrder::Rank QueueOrder::work_out(const QueueSide& side) const {
  return {.is_over_used = is_over_used(side.queue),
          .is_within_quota = is_within_quota(side),
          .takes_of_nothing = takes_of_nothing(side),
          .share_with_job = dominant_share(side.queue, side.wanted, side.victims),
          .share = dominant_share(side.queue, {}, {})};
}

// True if the queue uses more than its fair share of every resource.
bool QueueOrder::is_over_used(QueueId q) const {
  const Charge& held = cluster_.use(q).allocated;
  const Shares& fair = shares_.fair(q);
  for (Accounted r : kAccounted)
    if (held.share(r) <= fair[index(r)]) return false;
  return true;
}

bool QueueOrder::is_within_quota(const QueueSide& side) const {
  const Queue& queue = cluster_.queue(side.queue);
  const Charge& held = cluster_.use(side.queue).allocated;
  for (Accounted r : kAccounted)
    if (const double quota = queue.of(r).quota;
        quota != fairshare::kUnlimited && side.wanted.with(held, r) > quota)
      return false;
  return true;
}

bool QueueOrder::takes_of_nothing(const QueueSide& side) const {
  for (Accounted r : kAccounted)
    if (shares_.allocatable(side.queue, r) == 0 &&
        side.wanted.with(cluster_.use(side.queue).allocated, r) > 0)
      return true;
  return false;
}

// The queue's use as a part of what it may use, for the resource where this part is largest.
double QueueOrder::dominant_share(QueueId q, const Demand& wanted, const Charge& victims) const {
  constexpr double kOfNothing = 1000;  // weight of using a resource that the queue may not use at all
  Charge held = cluster_.use(q).allocated;
  held -= victims;
  const Shares used = wanted.with(held), &bounds = bounds_[q];
  double most = 0;
  for (std::size_t r = 0; r < used.size(); ++r)
    most = std::max(most, bounds[r] == 0 ? kOfNothing * used[r] : used[r] / bounds[r]);
  return most;
}

bool QueueOrder::may_hold_no_more(QueueId a, QueueId b) const {
  return std::all_of(kAccounted.begin(), kAccounted.end(), [&](Accounted r) {
    const double x = shares_.allocatable(a, r), y = shares_.allocatable(b, r);
    return y == fairshare::kUnlimited || (x != fairshare::kUnlimited && x <= y);
  });
}

}  // namespace muster::plugins
