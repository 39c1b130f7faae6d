// The options for decisions in which muster deliberately differs from KAI-Scheduler. A new option needs a
// member here, a row in the table below, the code that checks it, and a row in docs/differences.md.
#pragma once

#include <array>
#include <string_view>

namespace muster {

// True selects muster's behaviour, the default. --kai-exact sets all options to false.
struct Compatibility {
  bool trim_victims = true;             // do not evict victims that turn out not to be needed
  bool exhaustive_generator = true;     // search small cases completely when KAI's generators give up
  bool satisfaction_along_tree = true;  // minSubGroup counts when checking if a gang is satisfied or stale
  bool labels_decide_preemptibility = true;  // the label on owner or pods ranks between spec and priority
  bool elastic_by_active_tasks = true;    // pods that do not run make no job elastic for its minimum runtime
  bool exact_consolidation_limit = true;  // consolidation moves at most N jobs, not N + 1
  bool probes_try_all_tasks = true;       // a search tries every pending task, even with empty subgroups
  bool take_once = true;  // a job is not reclaimed or moved again for a job that got no place meanwhile
  bool device_claims_in_full =
      true;  // support admin access and alternatives in claims, and taints of devices
  bool join_claims_at_once =
      true;  // a device taken in this cycle counts once for all pods that share its claim
  bool protection_needs_minimum = true;  // without a minimum runtime, a start in the future protects no job
  bool slots_for_new_groups = true;      // only the first share of a GPU needs a second pod slot
  bool memory_within_device = true;      // GPU memory of two or more whole devices is not a share of one
  bool required_level_above_common = true;  // nodes that are all in one finer domain satisfy a required level
  bool pod_level_resources = true;          // spec.resources of a pod replaces the sum of its containers
  bool usage_ages_out = true;               // past use that cannot be updated fades away
  bool bind_or_evict = true;  // a pod that would be bound and evicted in one cycle stays pending
  bool avoid_fragments =
      true;  // avoid placements that leave GPUs unusable for typical pods (plugin fragmentation)
  bool heal_fragments = true;        // consolidation moves pods off nodes that would become whole
  bool compare_failed_fully = true;  // skip a search only if a job with equal or smaller requests failed
  bool charge_until_gone =
      true;  // pods are charged until they are gone, whatever became of their group or queue
  bool quota_bounds_changes = true;   // a running job needs quota to become non-preemptible
  bool return_where_chosen = true;    // a victim that is placed again gets the place that was found for it
  bool move_only_whole_gangs = true;  // a gang is moved only if all of it can run afterwards
  bool reservations_in_namespace = true;  // the label of GPU reservations counts only in their namespace
  bool ready_sub_groups_first = true;     // of optional subgroups, prefer those that can be complete
  bool finished_pods_count = true;        // finished pods count towards a gang's minimum
  bool each_volume_once = true;           // a volume is given to only one claim per cycle
  bool volume_limits = true;              // nodes take only as many volumes as their drivers can attach
  bool narrow_scenarios = true;           // reclaim does not empty many nodes for a small job
  bool settled_plans = true;       // a cycle repeats its actions while they displace what it has just placed
  bool keep_entitled = true;       // reclaim leaves each queue the jobs that fit into its fair share
  bool staying_pods_count = true;  // a protected elastic job keeps its minimum in pods that do not terminate
  bool negative_minimum_is_unset = true;  // a queue's negative minimum runtime does not hide those above it
  bool stamp_real_evictions = true;       // losing a nomination is not an eviction of the job
  bool wait_for_valid_gpus = true;        // a pod whose GPU request cannot be read is not started without it

  static constexpr Compatibility kai_exact();
  bool operator==(const Compatibility&) const = default;
};

struct CompatibilityOption {
  std::string_view key;  // in the configuration file and in docs/differences.md
  bool Compatibility::*is_ours;
};

inline constexpr auto kCompatibilityOptions = std::to_array<CompatibilityOption>({
    {"trimVictims", &Compatibility::trim_victims},
    {"exhaustiveGenerator", &Compatibility::exhaustive_generator},
    {"satisfactionAlongTree", &Compatibility::satisfaction_along_tree},
    {"labelsDecidePreemptibility", &Compatibility::labels_decide_preemptibility},
    {"elasticByActiveTasks", &Compatibility::elastic_by_active_tasks},
    {"exactConsolidationLimit", &Compatibility::exact_consolidation_limit},
    {"probesTryAllTasks", &Compatibility::probes_try_all_tasks},
    {"takeOnce", &Compatibility::take_once},
    {"deviceClaimsInFull", &Compatibility::device_claims_in_full},
    {"joinClaimsAtOnce", &Compatibility::join_claims_at_once},
    {"protectionNeedsMinimum", &Compatibility::protection_needs_minimum},
    {"slotsForNewGroups", &Compatibility::slots_for_new_groups},
    {"memoryWithinDevice", &Compatibility::memory_within_device},
    {"requiredLevelAboveCommon", &Compatibility::required_level_above_common},
    {"podLevelResources", &Compatibility::pod_level_resources},
    {"usageAgesOut", &Compatibility::usage_ages_out},
    {"bindOrEvict", &Compatibility::bind_or_evict},
    {"avoidFragments", &Compatibility::avoid_fragments},
    {"healFragments", &Compatibility::heal_fragments},
    {"compareFailedFully", &Compatibility::compare_failed_fully},
    {"chargeUntilGone", &Compatibility::charge_until_gone},
    {"quotaBoundsChanges", &Compatibility::quota_bounds_changes},
    {"returnWhereChosen", &Compatibility::return_where_chosen},
    {"moveOnlyWholeGangs", &Compatibility::move_only_whole_gangs},
    {"reservationsInNamespace", &Compatibility::reservations_in_namespace},
    {"readySubGroupsFirst", &Compatibility::ready_sub_groups_first},
    {"finishedPodsCount", &Compatibility::finished_pods_count},
    {"eachVolumeOnce", &Compatibility::each_volume_once},
    {"volumeLimits", &Compatibility::volume_limits},
    {"narrowScenarios", &Compatibility::narrow_scenarios},
    {"settledPlans", &Compatibility::settled_plans},
    {"keepEntitled", &Compatibility::keep_entitled},
    {"stayingPodsCount", &Compatibility::staying_pods_count},
    {"negativeMinimumIsUnset", &Compatibility::negative_minimum_is_unset},
    {"stampRealEvictions", &Compatibility::stamp_real_evictions},
    {"waitForValidGpus", &Compatibility::wait_for_valid_gpus},
});
static_assert(kCompatibilityOptions.size() == sizeof(Compatibility), "every member has its row in the table");

constexpr Compatibility Compatibility::kai_exact() {
  Compatibility kai;
  for (const CompatibilityOption& option : kCompatibilityOptions) kai.*option.is_ours = false;
  return kai;
}

}  // namespace muster
