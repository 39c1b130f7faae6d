// Adds up usage on nodes by leaf queue; pods without a queue are counted separately.
#include "model/holders.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace muster {
namespace {

constexpr std::size_t kMostHolders = 3, kMostOutsiders = 2;

// Saturates: nodes may claim to have any amount.
void add_up(std::int64_t& sum, std::int64_t units) {
  if (__builtin_add_overflow(sum, units, &sum)) sum = std::numeric_limits<std::int64_t>::max();
}

std::int64_t held_by(const Cluster& c, const Task& task, const Placement& at, Kind kind) {
  const Shape& shape = c.shape(task.shape);
  if (kind != kGpu) return amount_of(shape.request, kind);
  if (task.is_reservation) return 0;
  return shape.is_shared() ? c.accepted(shape, at.node).units[index(Accounted::kGpus)] : shape.whole_gpus();
}

// Not valid if it is not a queue of this scheduler.
QueueId queue_of(const Cluster& c, const Task& task) {
  if (task.foreign || !task.in_job()) return {};
  const QueueId queue = c.job(task.job).queue;
  const bool is_one = queue.valid() && queue != c.queue_tree().no_queue() && c.queue(queue).usable;
  return is_one ? queue : QueueId();
}

struct Outsider {
  std::int64_t units = 0;
  TaskId task;
};

class Sums {
 public:
  explicit Sums(const Cluster& cluster) : c_(cluster), by_queue_(cluster.queues().size(), 0) {}

  void add(TaskId t, Kind kind) {
    const Placement& at = c_.placement(t);
    const bool stands = at.node.valid() && in(at.status, kActiveUsed) && at.status != TaskStatus::kPipelined;
    const std::int64_t units = stands ? held_by(c_, c_.task(t), at, kind) : 0;
    if (units <= 0) return;
    if (const QueueId queue = queue_of(c_, c_.task(t)); queue.valid())
      add_up(by_queue_[queue], units);
    else
      add_up(outside_, units), outsiders_.push_back({units, t});
  }

  void fill(Holders& holders) {
    for (QueueId q : ids(by_queue_))
      if (by_queue_[q] > 0) holders.most.push_back({q, by_queue_[q]});
    if (outside_ > 0) holders.most.push_back({{}, outside_});
    std::stable_sort(holders.most.begin(), holders.most.end(), [&](const auto& a, const auto& b) {
      return a.units != b.units ? a.units > b.units : name(a.queue) < name(b.queue);
    });
    keep_most(holders);
    name_outsiders(holders);
  }

 private:
  std::string_view name(QueueId q) const { return q.valid() ? std::string_view(c_.queue(q).name) : ""; }

  // Pods outside all queues are always named, however little they use, because no other report shows them.
  void keep_most(Holders& holders) const {
    while (holders.most.size() > kMostHolders) {
      const bool is_outside = !holders.most.back().queue.valid();
      const auto last = holders.most.end() - (is_outside ? 2 : 1);
      add_up(holders.others, last->units);
      holders.most.erase(last);
    }
  }

  void name_outsiders(Holders& holders) {
    const auto named = std::min(outsiders_.size(), kMostOutsiders);
    std::partial_sort(outsiders_.begin(), outsiders_.begin() + static_cast<std::ptrdiff_t>(named),
                      outsiders_.end(), [&](const Outsider& a, const Outsider& b) {
                        if (a.units != b.units) return a.units > b.units;
                        const Task &x = c_.task(a.task), &y = c_.task(b.task);
                        return std::tie(x.ns, x.name) < std::tie(y.ns, y.name);
                      });
    for (std::size_t i = 0; i < named; ++i)
      holders.outsiders.push_back(c_.task(outsiders_[i].task).full_name());
    holders.outsider_count = static_cast<std::int64_t>(outsiders_.size());
  }

  const Cluster& c_;
  IdVector<QueueId, std::int64_t> by_queue_;
  std::int64_t outside_ = 0;
  std::vector<Outsider> outsiders_;
};

// The resource that most nodes lack; not valid if nodes refuse for other reasons.
Kind what_is_short(const JobReason& r) {
  if (r.rule == JobRule::kTopology && !r.domains.empty()) return r.domains.front().kind;
  if (r.rule != JobRule::kNoNode) return {};
  for (const RefusalCount& c : r.nodes)  // most nodes first
    if (c.refusal.rule == NodeRule::kResources) return c.refusal.kind;
  return {};
}

}  // namespace

Holders holders_of(const Cluster& cluster, Kind kind) {
  Holders holders{.kind = kind};
  for (NodeId n : cluster.nodes_by_name()) {
    add_up(holders.total, cluster.allocatable().at(kind, n));
    add_up(holders.free, std::max<std::int64_t>(cluster.idle().at(kind, n), 0));
  }
  Sums sums(cluster);
  for (TaskId t : ids(cluster.tasks()))
    if (cluster.task(t).alive) sums.add(t, kind);
  sums.fill(holders);
  return holders;
}

// Computed once per resource, and only if a pending job lacks it.
void name_holders(const Cluster& cluster, std::vector<WaitingJob>& waiting) {
  absl::flat_hash_map<Kind, std::shared_ptr<const Holders>> known;
  for (WaitingJob& w : waiting) {
    const auto lacks = [](const JobReason& r) { return what_is_short(r).valid(); };
    const auto reason = std::find_if(w.reasons.begin(), w.reasons.end(), lacks);
    if (reason == w.reasons.end()) continue;
    const auto [found, is_new] = known.try_emplace(what_is_short(*reason));
    if (is_new) found->second = std::make_shared<const Holders>(holders_of(cluster, found->first));
    if (!found->second->most.empty()) reason->holders = found->second;
  }
}

}  // namespace muster
