// One rule after the other; the first that tells the two queues apart decides.
#include "plugins/proportion/order.hpp"

#include <algorithm>

#include "fairshare/fairshare.hpp"

namespace muster::plugins {
namespace {

constexpr int kLeft = -1, kRight = 1;

// The side of which the claim is true, if only one is.
int first_of(bool left, bool right) { return left == right ? 0 : left ? kLeft : kRight; }
int smaller(double left, double right) { return left == right ? 0 : left < right ? kLeft : kRight; }

}  // namespace

QueueOrder::QueueOrder(const Session& session, const QueueShares& shares)
    : cluster_(session.cluster), shares_(shares), bounds_(session.cluster.queues().size()) {
  for (QueueId q : ids(cluster_.queues()))
    for (Accounted r : kAccounted) {
      const double allocatable = shares_.allocatable(q, r);
      bounds_[q][index(r)] = allocatable == fairshare::kUnlimited ? cluster_.total().share(r) : allocatable;
    }
}

int QueueOrder::compare(const QueueSide& l, const QueueSide& r) const {
  const QueueId nobody = cluster_.queue_tree().nobody();
  if (const int o = first_of(l.queue != nobody, r.queue != nobody)) return o;
  if (const int o = first_of(!is_over_used(l.queue), !is_over_used(r.queue))) return o;
  if (const int o = first_of(is_within_quota(l), is_within_quota(r))) return o;
  const Queue &x = cluster_.queue(l.queue), &y = cluster_.queue(r.queue);
  if (x.priority != y.priority) return x.priority > y.priority ? kLeft : kRight;
  if (const int o = first_of(!takes_of_nothing(l), !takes_of_nothing(r))) return o;
  if (const int o =
          smaller(dominant_share(l.queue, l.wanted, l.victims), dominant_share(r.queue, r.wanted, r.victims)))
    return o;
  if (const int o = smaller(dominant_share(l.queue, {}, {}), dominant_share(r.queue, {}, {}))) return o;
  if (const int o = first_of(may_hold_no_more(l.queue, r.queue), may_hold_no_more(r.queue, l.queue)))
    return o;
  return x.meta.created < y.meta.created ? kLeft : kRight;
}

// Strictly above its share in every resource.
bool QueueOrder::is_over_used(QueueId q) const {
  return std::all_of(kAccounted.begin(), kAccounted.end(), [&](Accounted r) {
    return cluster_.use(q).allocated.share(r) > shares_.fair(q)[index(r)];
  });
}

bool QueueOrder::is_within_quota(const QueueSide& side) const {
  const Queue& queue = cluster_.queue(side.queue);
  return std::all_of(kAccounted.begin(), kAccounted.end(), [&](Accounted r) {
    return queue.of(r).quota == fairshare::kUnlimited ||
           side.wanted.with(cluster_.use(side.queue).allocated, r) <= queue.of(r).quota;
  });
}

bool QueueOrder::takes_of_nothing(const QueueSide& side) const {
  return std::any_of(kAccounted.begin(), kAccounted.end(), [&](Accounted r) {
    return shares_.allocatable(side.queue, r) == 0 &&
           side.wanted.with(cluster_.use(side.queue).allocated, r) > 0;
  });
}

// The largest part of what it may hold that the queue would use of any resource.
double QueueOrder::dominant_share(QueueId q, const Demand& wanted, const Charge& victims) const {
  constexpr double kOfNothing = 1000;  // what using something where nothing is allowed weighs
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
