// A job (PodGroup): a tree of groups whose leaves, the pod sets, hold tasks. actions.md 3.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/objects.hpp"
#include "model/resources.hpp"
#include "model/status.hpp"

namespace muster {

struct PodSet {  // a leaf
  std::string name;
  std::int32_t minimum = 1;   // number of placed pods it needs
  std::int32_t declared = 1;  // as in its object; finished pods may have lowered `minimum`
  TopologyConstraint topology;
  std::uint32_t parent = 0;  // the group set that contains it
  std::vector<TaskId> tasks;
  StatusCounts counts;
  bool is_short = false;  // fewer pods than the minimum are on nodes
  // Fewer, or more, placed pods than the minimum.
  bool is_below = false, is_above = false;
  // For semi-preemptible jobs: the minimum number of tasks on nodes, and what they hold.
  struct Core {
    Charge held;
    std::int32_t minimum = 0, standing = 0;  // needed, and on nodes
    TaskId last;                             // last task of a complete core; not valid if unknown
    bool is_known = false;
  } core;

  bool is_ready() const { return counts.in(kAlive)-counts.of(TaskStatus::kGated) >= minimum; }
  // Lowers the minimum to the remaining pods once some have finished.
  void settle_minimum() {
    const std::int32_t finished = counts.of(TaskStatus::kSucceeded);
    minimum = finished == 0 ? declared
                            : std::clamp(counts.in(kAlive | kActiveUsed),
                                         declared - std::min(declared, finished), std::max(declared, 0));
  }
};

// A member of a group set: another set, or a pod set.
struct Member {
  bool is_pod_set = false;
  std::uint32_t at = 0;  // index into Job::sets or Job::pod_sets
};
inline constexpr Member kRoot{.is_pod_set = false, .at = 0};

struct GroupSet {  // an inner node
  std::string name;
  std::vector<Member> members;
  std::optional<std::int32_t> min_sub_group;
  TopologyConstraint topology;
  std::uint32_t parent = 0;  // the root is its own

  // How many members must be satisfied.
  std::int32_t required() const { return min_sub_group.value_or(static_cast<std::int32_t>(members.size())); }
};

enum class Preemptibility : std::uint8_t { kPreemptible, kNonPreemptible, kSemiPreemptible };
// Parses the value of an object field, in any letter case.
std::optional<Preemptibility> parse_preemptibility(std::string_view text);
enum class PreemptibilitySource : std::uint8_t { kSpec, kOwnerLabel, kPodLabel, kPriority };

struct Job {
  // Fields that jobs are compared by come first, next to each other, because a sort jumps from job to job.
  TimePoint created{};
  std::optional<TimePoint> requeued_at;  // counts as waiting only since then
  std::int32_t priority = 50;
  QueueId queue;  // the queue it is charged to
  Preemptibility preemptibility = Preemptibility::kPreemptible;
  PreemptibilitySource preemptibility_source = PreemptibilitySource::kPriority;
  bool present = false;  // has an object in our node pool
  bool in_partition = true;
  bool is_in_named_queue = false;  // else it is charged to another queue, and none of its pods start
  bool is_of_one_pod = false;      // a pod on a node without a group; has no PodGroup object

  std::string uid, ns, name;
  std::string queue_name, priority_class, preemptibility_spec;
  std::string user;  // the user named by its label; "" without a label
  std::vector<PodSet> pod_sets;
  std::vector<GroupSet> sets;     // sets[0] is the root
  std::vector<TaskId> outsiders;  // tasks that name a sub group the job does not have
  StatusCounts counts;            // over all pod sets
  std::int32_t short_sets = 0, below_sets = 0, above_sets = 0;  // number of pod sets in that state
  std::vector<std::uint32_t> sets_by_name;                      // pod sets sorted by name, if there are many
  std::uint64_t version = 0;  // changes whenever one of its tasks changes; unique across jobs
  std::optional<Duration> preemption_delay, staleness_grace;
  std::optional<TimePoint> last_start, last_eviction, stale_since;
  std::optional<std::string> expected_runtime, requeue_delay, requeue_not_before;
  std::optional<std::string> eviction_receipt;  // record of its last eviction, from its object
  std::set<std::string>
      displaced_for_it;  // uids of jobs that lost or moved pods for it since it was last placed
  bool mark_unschedulable = true;
  bool backed_off = false;  // schedulingBackoff is set, and the newest condition names this node pool
  bool stays_terminating = false;

  // The preemptibility it asks for, and the one it last had while it ran; nullopt if unknown.
  Preemptibility asked = Preemptibility::kPreemptible;
  std::optional<Preemptibility> granted;
  std::string granted_in;                       // the queue in which it had that
  std::string told_preemptibility, told_queue;  // both as written in its object
  // The queue it was last charged to; "" if unknown.
  std::string last_queue;

  Charge held;  // requests of all allocated tasks
  // For semi-preemptible jobs: what the minimum shape holds; counts as non-preemptible use of the queue.
  Charge core;

  bool is_preemptible() const { return preemptibility == Preemptibility::kPreemptible; }
  bool is_semi_preemptible() const { return preemptibility == Preemptibility::kSemiPreemptible; }
  // Counts tasks of any status (actions.md 3.2).
  bool is_elastic() const {
    for (const PodSet& p : pod_sets)
      if (p.minimum < static_cast<std::int32_t>(p.tasks.size())) return true;
    return false;
  }
  // Whether it asked to become less preemptible while running and its queue's quota does not cover that.
  bool is_held_back() const { return asked != preemptibility; }
  bool has_pending() const { return counts.of(TaskStatus::kPending) > 0; }
  bool has_object() const { return present || !in_partition; }  // in any node pool
  std::string full_name() const { return ns + "/" + name; }
};

// ---- predicates over the tree

// Whether the member is the pod set itself or a set that contains it.
bool is_below(const Job& job, std::uint32_t pod_set, const Member& member);
// Whether enough tasks in the member have one of these statuses.
bool is_satisfied(const Job& job, const Member& member, StatusSet statuses = kActiveAllocated);
bool is_ready(const Job& job);
// The index of the pod set with that name, or nullopt.
std::optional<std::uint32_t> find_pod_set(const Job& job, std::string_view name);
// Call after the counts or the minimum of a pod set changed.
inline void settle_standing(Job& job, PodSet& set) {
  const auto settle = [](bool& was, bool is, std::int32_t& sets) {
    sets += static_cast<std::int32_t>(is) - static_cast<std::int32_t>(std::exchange(was, is));
  };
  const std::int32_t active = set.counts.active_allocated();
  settle(set.is_short, set.counts.in(kActiveUsed) < set.minimum, job.short_sets);
  settle(set.is_below, active < set.minimum, job.below_sets);
  settle(set.is_above, active > set.minimum, job.above_sets);
}
// Call after the tree was rebuilt, or all minimums or counts were reset.
void settle_standing(Job& job);
// Whether every pod set has its minimum of tasks in these statuses, ignoring minSubGroup.
bool is_flatly_satisfied(const Job& job, StatusSet statuses);

enum class ElasticState : std::uint8_t { kBelow, kExact, kAbove };
inline ElasticState elastic_state(const Job& job) {
  if (job.below_sets > 0) return ElasticState::kBelow;
  return job.above_sets > 0 ? ElasticState::kAbove : ElasticState::kExact;
}

// Whether it has placed tasks that may be evicted. The core of a semi-preemptible job may not.
bool can_lose_tasks(const Job& job);

// Reads the fields of the job itself from its object.
void read_job(const PodGroupObject& object, Job& job);
// Maximum nesting depth of sub groups. Tree walks recurse once per level.
inline constexpr int kDeepestSubGroup = 64;
// Builds pod_sets and sets from the object. If the sub groups are malformed, the job gets a single pod set
// with minimum 1. Returns what is wrong with them, or "".
std::string build_tree(const PodGroupObject& object, Job& job);

}  // namespace muster
