// Walks the job's groups from the root. Each group is tried on one set of nodes after another, with a
// rollback after each failure.
#include "engine/place/allocation.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "engine/order/gang_view.hpp"
#include "engine/place/fit.hpp"
#include "engine/place/node_finder.hpp"
#include "engine/place/shared_gpus.hpp"

namespace muster {
namespace {

class Allocator {
 public:
  Allocator(Session& session, Statement& statement, const Attempt& attempt)
      : s_(session), st_(statement), attempt_(attempt), job_(session.cluster.job(attempt.job)) {}

  std::optional<JobReason> run() {
    if (attempt_.tasks.empty()) return JobReason{.rule = JobRule::kNotReady};
    if (s_.hooks.job_over_capacity)
      if (auto refusal = s_.hooks.job_over_capacity(attempt_.job, attempt_.tasks)) return refusal;
    if (place(kRoot, attempt_.tasks, attempt_.allowed)) return std::nullopt;
    if (!why_) why_.emplace();
    return std::move(why_);
  }

 private:
  // Tries the node sets that the group may use, one after another.
  bool place(const Member& group, std::span<const TaskId> tasks, const Bitmap* allowed) {
    if (tasks.empty()) return true;
    NodeSets* sets = s_.hooks.node_sets ? s_.hooks.node_sets(attempt_.job, group, tasks, allowed) : nullptr;
    return sets != nullptr ? place_on_some(*sets, group, tasks) : place_on(group, tasks, allowed);
  }

  bool place_on_some(NodeSets& sets, const Member& group, std::span<const TaskId> tasks) {
    const NodeSets* outer = std::exchange(sets_, &sets);
    bool was_offered = false, is_placed = false;
    for (const Bitmap* set = nullptr; !is_placed && (set = sets.next()) != nullptr; was_offered = true)
      is_placed = place_on(group, tasks, set);
    sets_ = outer;
    if (!was_offered && !attempt_.pipeline_only) explain(sets.refusal());
    return is_placed;
  }

  bool place_on(const Member& group, std::span<const TaskId> tasks, const Bitmap* allowed) {
    const auto start = st_.checkpoint();
    const std::size_t placed_before = placed_;
    if (group.is_pod_set ? place_tasks(tasks, allowed) : place_members(group, tasks, allowed)) return true;
    st_.rollback(start);
    placed_ = placed_before;
    return false;
  }

  bool place_members(const Member& group, std::span<const TaskId> tasks, const Bitmap* allowed) {
    if (const auto& all = job_.sets[group.at].members; all.size() == 1)
      return place(all.front(), tasks, allowed);
    const Parts parts = parts_of(group, tasks);
    absl::InlinedVector<Member, 8> members;
    for (const auto& [key, part] : parts) members.push_back({.is_pod_set = key.first, .at = key.second});
    members = GangView(s_, job_).ordered_members(members);
    return std::all_of(members.begin(), members.end(),
                       [&](const Member& m) { return place(m, parts.find(key_of(m))->second, allowed); });
  }

  bool place_tasks(std::span<const TaskId> tasks, const Bitmap* allowed) {
    return std::all_of(tasks.begin(), tasks.end(), [&](TaskId t) { return place_task(t, allowed); });
  }

  bool place_task(TaskId t, const Bitmap* allowed) {
    if (auto refusal = s_.hooks.before_placing(t)) return explain(std::move(*refusal)), false;
    if (is_known_to_find_none(t)) {
      if (says_more(placed_)) explain_no_node(t, {});
      return false;
    }
    NodeCursor candidates = s_.finder().candidates(t, allowed);
    for (NodeId node = candidates.next(); node.valid(); node = candidates.next()) {
      ++s_.stats.nodes_tried;
      if (auto refusal = s_.hooks.node_filter(t, node))
        note_refusal(candidates, node, *std::move(refusal));
      else if (put(t, node))
        return ++placed_, true;
      else
        note_refusal(candidates, node, {NodeRule::kResources, kGpu});
    }
    if (!attempt_.pipeline_only && says_more(placed_))
      explain_no_node(t, s_.counts_refusals(attempt_.job) ? refusals_of(t, candidates, allowed) : Refusals{});
    return false;
  }

  bool is_known_to_find_none(TaskId t) {
    return !attempt_.pipeline_only && !s_.counts_refusals(attempt_.job) &&
           s_.finder().is_larger_than_all_room(t);
  }

  // Failures of simulated scenarios are not reported. If a task's own anti-affinity excludes a node, the node
  // is excluded for all tasks of that shape.
  void note_refusal(NodeCursor& candidates, NodeId node, NodeRefusal refusal) const {
    if (refusal.rule == NodeRule::kPodAntiAffinity && candidates.park(node)) return;
    if (!attempt_.pipeline_only) candidates.refused(node, std::move(refusal));
  }

  bool put(TaskId t, NodeId node) {
    const Shape& shape = s_.cluster.shape_of(t);
    bool now = !attempt_.pipeline_only && fits_now(s_.cluster, shape, node) && !s_.hooks.now_filter(t, node);
    HoldingId holding;
    if (shape.is_shared()) {
      const auto choice = choose_gpus(s_, t, node);
      if (!choice) return false;
      holding = choice->holding;
      now = now && choice->are_idle;
    }
    if (!s_.hooks.holding.empty()) holding = with_devices(t, node, holding);
    if (now)
      st_.allocate(t, node, holding);
    else
      st_.pipeline(t, node, holding);
    return true;
  }

  HoldingId with_devices(TaskId t, NodeId node, HoldingId holding) {
    Holding held{.groups = s_.cluster.holding(holding).groups};
    s_.hooks.holding(t, node, held);
    return s_.cluster.intern(std::move(held));
  }

  // The tasks of each member of a group, without members that have none.
  using Parts = absl::flat_hash_map<std::pair<bool, std::uint32_t>, absl::InlinedVector<TaskId, 4>>;
  static std::pair<bool, std::uint32_t> key_of(const Member& m) { return {m.is_pod_set, m.at}; }
  Parts parts_of(const Member& group, std::span<const TaskId> tasks) const {
    Parts parts;
    for (TaskId t : tasks) parts[key_of(member_above(group, s_.cluster.task(t).pod_set))].push_back(t);
    return parts;
  }
  Member member_above(const Member& group, std::uint32_t pod_set) const {
    Member m{.is_pod_set = true, .at = pod_set};
    for (std::uint32_t up = job_.pod_sets[pod_set].parent; up != group.at; up = job_.sets[up].parent)
      m = {.is_pod_set = false, .at = up};
    return m;
  }

  // Whether this attempt placed more tasks: of several node sets, the one that placed most gives the reason.
  bool says_more(std::size_t placed) const {
    return !why_ || why_->placed <= static_cast<std::int32_t>(placed);
  }
  void explain(JobReason reason) {
    if (says_more(static_cast<std::size_t>(reason.placed))) why_ = std::move(reason);
  }

  struct Refusals {
    std::vector<RefusalCount> nodes;
    std::optional<DomainShortage> nearest;
  };
  Refusals refusals_of(TaskId t, const NodeCursor& candidates, const Bitmap* allowed) {
    return {candidates.refusals(), s_.finder().nearest_device(t, allowed)};
  }
  void explain_no_node(TaskId t, Refusals refusals) {
    const PodSet& set = job_.pod_sets[s_.cluster.task(t).pod_set];
    why_ = JobReason{.rule = JobRule::kNoNode,
                     .task = t,
                     .pod_set = job_.pod_sets.size() > 1 ? set.name : "",
                     .placed = static_cast<std::int32_t>(placed_),
                     .needed = static_cast<std::int32_t>(attempt_.tasks.size()),
                     .is_gang = attempt_.tasks.size() > 1,
                     .nodes = std::move(refusals.nodes),
                     .domain = sets_ != nullptr ? sets_->place() : ""};
    if (refusals.nearest) why_->domains.push_back(*std::move(refusals.nearest));
  }

  Session& s_;
  Statement& st_;
  const Attempt& attempt_;
  const Job& job_;
  const NodeSets* sets_ = nullptr;  // used to place the innermost group
  std::size_t placed_ = 0;
  std::optional<JobReason> why_;
};

}  // namespace

std::optional<JobReason> allocate_or_refuse(Session& session, Statement& statement, const Attempt& attempt) {
  return Allocator(session, statement, attempt).run();
}

}  // namespace muster
