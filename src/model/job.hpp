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
  std::int32_t minimum = 1;   // of pods that hold a place
  std::int32_t declared = 1;  // the same by its object; pods that finished may have made it less
  TopologyConstraint topology;
  std::uint32_t parent = 0;  // the set that holds it
  std::vector<TaskId> tasks;
  StatusCounts counts;
  bool is_short = false;  // fewer than the minimum stand on nodes
  // By those that hold a place: fewer than the minimum, more than it.
  bool is_below = false, is_above = false;
  // Of a semi-preemptible job: what those of its tasks that stand on nodes hold, as many as are needed.
  struct Core {
    Charge held;
    std::int32_t minimum = 0, standing = 0;  // needed, and on nodes
    TaskId last;                             // of the core, where it is whole; not valid: not known
    bool is_known = false;
  } core;

  bool is_ready() const { return counts.in(kAlive)-counts.of(TaskStatus::kGated) >= minimum; }
  // As many as are left, where some finished that made up for the rest.
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
// As objects have it, in any letter case.
std::optional<Preemptibility> parse_preemptibility(std::string_view text);
enum class PreemptibilitySource : std::uint8_t { kSpec, kOwnerLabel, kPodLabel, kPriority };

struct Job {
  // What jobs are compared by stands together: a sort jumps from job to job.
  TimePoint created{};
  std::optional<TimePoint> requeued_at;  // goes to the back of the line from then on
  std::int32_t priority = 50;
  QueueId queue;  // that it is charged to
  Preemptibility preemptibility = Preemptibility::kPreemptible;
  PreemptibilitySource preemptibility_source = PreemptibilitySource::kPriority;
  bool present = false;  // has an object, in our node pool
  bool in_partition = true;
  bool is_in_named_queue = false;  // else it is charged to another, and nothing of it starts
  bool is_of_one_pod = false;      // a pod on a node that belongs to no group: it has no object

  std::string uid, ns, name;
  std::string queue_name, priority_class, preemptibility_spec;
  std::string user;  // whose it is, as its label says; "": it does not
  std::vector<PodSet> pod_sets;
  std::vector<GroupSet> sets;     // sets[0] is the root
  std::vector<TaskId> outsiders;  // tasks that name a sub group the job does not have
  StatusCounts counts;            // over all pod sets
  std::int32_t short_sets = 0, below_sets = 0, above_sets = 0;  // pod sets that are so
  std::vector<std::uint32_t> sets_by_name;                      // pod sets, where they are many
  std::uint64_t version = 0;  // another one whenever a task of it changes; no other job's
  std::optional<Duration> preemption_delay, staleness_grace;
  std::optional<TimePoint> last_start, last_eviction, stale_since;
  std::optional<std::string> expected_runtime, requeue_delay, requeue_not_before;
  std::optional<std::string> eviction_receipt;  // who took its pods last and why, as its object has it
  std::set<std::string> taken_for_it;  // uids of jobs that lost or moved pods since it last got a place
  bool mark_unschedulable = true;
  bool backed_off = false;  // schedulingBackoff, and the newest condition names this node pool
  bool stays_terminating = false;

  // What it asks for, and what it last was while it ran; nothing: not known.
  Preemptibility asked = Preemptibility::kPreemptible;
  std::optional<Preemptibility> granted;
  std::string granted_in;                       // the queue where it was so
  std::string told_preemptibility, told_queue;  // both as its object tells them
  // The queue that it was last charged to; "": not known.
  std::string last_queue;

  Charge held;  // by tasks that are allocated, as they asked for it
  // Of a semi-preemptible job: what its minimum shape holds, counted as non-preemptible use of its queue.
  Charge core;

  bool is_preemptible() const { return preemptibility == Preemptibility::kPreemptible; }
  bool is_semi_preemptible() const { return preemptibility == Preemptibility::kSemiPreemptible; }
  // Tasks of any status count (actions.md 3.2).
  bool is_elastic() const {
    for (const PodSet& p : pod_sets)
      if (p.minimum < static_cast<std::int32_t>(p.tasks.size())) return true;
    return false;
  }
  // Became less preemptible while it ran, and its queue's quota does not hold that.
  bool is_held_back() const { return asked != preemptibility; }
  bool has_pending() const { return counts.of(TaskStatus::kPending) > 0; }
  bool has_object() const { return present || !in_partition; }  // wherever
  std::string full_name() const { return ns + "/" + name; }
};

// ---- predicates over the tree

// The member is the pod set, or a set above it.
bool is_below(const Job& job, std::uint32_t pod_set, const Member& member);
// By tasks of these states.
bool is_satisfied(const Job& job, const Member& member, StatusSet statuses = kActiveAllocated);
bool is_ready(const Job& job);
// The pod set of that name; nothing: there is none.
std::optional<std::uint32_t> find_pod_set(const Job& job, std::string_view name);
// After the counts or the minimum of a pod set changed.
inline void settle_standing(Job& job, PodSet& set) {
  const auto settle = [](bool& was, bool is, std::int32_t& sets) {
    sets += static_cast<std::int32_t>(is) - static_cast<std::int32_t>(std::exchange(was, is));
  };
  const std::int32_t active = set.counts.active_allocated();
  settle(set.is_short, set.counts.in(kActiveUsed) < set.minimum, job.short_sets);
  settle(set.is_below, active < set.minimum, job.below_sets);
  settle(set.is_above, active > set.minimum, job.above_sets);
}
// After the tree, the minimums or the counts were set as a whole.
void settle_standing(Job& job);
// Every pod set at its minimum by tasks that hold a place, whatever minSubGroup says.
bool is_flatly_satisfied(const Job& job, StatusSet statuses);

enum class ElasticState : std::uint8_t { kBelow, kExact, kAbove };
inline ElasticState elastic_state(const Job& job) {
  if (job.below_sets > 0) return ElasticState::kBelow;
  return job.above_sets > 0 ? ElasticState::kAbove : ElasticState::kExact;
}

// Holds a place that it may be asked to leave; the core of a semi-preemptible job is nobody's.
bool can_lose_tasks(const Job& job);

// What the object says of the job itself.
void read_job(const PodGroupObject& object, Job& job);
// How deep sub groups may be nested: what walks down the tree calls itself once per level.
inline constexpr int kDeepestSubGroup = 64;
// Builds pod_sets and sets from the object; what is malformed leaves one pod set of minimum 1.
// Returns what is wrong with the sub groups, or "".
std::string build_tree(const PodGroupObject& object, Job& job);

}  // namespace muster
