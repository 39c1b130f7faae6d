// Where muster decides differently from KAI-Scheduler on a legal cluster. A new option is a member, its line
// in the table below, the place that asks for it, and a row of docs/differences.md.
#pragma once

#include <array>
#include <string_view>

namespace muster {

// True is our way, and the default; --kai-exact sets them all to false.
struct Compatibility {
  bool trim_victims = true;             // victims that turn out not to be needed are not evicted
  bool exhaustive_generator = true;     // small searches KAI's generators give up on are tried completely
  bool satisfaction_along_tree = true;  // minSubGroup counts when a gang is tested for being whole or stale
  bool labels_decide_preemptibility = true;  // the label on owner or pods is asked between spec and priority
  bool elastic_by_active_tasks = true;    // pods that do not run make no job elastic for its minimum runtime
  bool exact_consolidation_limit = true;  // consolidation moves at most N jobs, not N + 1
  bool probes_try_all_tasks = true;  // a search tries every task that waits, whatever empty sub groups say
  bool take_once = true;             // no job is reclaimed or moved twice for one that got no place meanwhile
  bool device_claims_in_full =
      true;  // claims may ask for admin access and name alternatives, taints of devices count
  bool join_claims_at_once = true;  // a device taken in this cycle counts once for all who share its claim
  bool protection_needs_minimum = true;  // without a minimum runtime, a start in the future protects nobody
  bool slots_for_new_groups = true;      // only a shared GPU that is new needs a second pod slot
  bool memory_within_device = true;      // GPU memory of two or more whole devices is no share of one
  bool required_level_above_common = true;  // nodes that all lie in one finer domain meet a required level
  bool pod_level_resources = true;  // spec.resources of a pod counts instead of what its containers ask for
  bool usage_ages_out = true;       // past use that can not be brought up to date fades
  bool bind_or_evict = true;        // a pod that is to be bound and evicted in one cycle just goes on waiting
  bool avoid_fragments =
      true;  // GPUs that typical pods could not use any more are avoided (plugin fragmentation)
  bool heal_fragments = true;  // consolidation moves what is in the way of a node that would become whole
  bool compare_failed_fully = true;  // a search is spared only by a job that asks for no more of anything
  bool charge_until_gone = true;     // what stands on nodes is charged, whatever became of its group or queue
  bool quota_bounds_changes = true;  // who becomes non-preemptible while running needs the quota for it
  bool return_where_chosen = true;   // a victim that gets a place again gets the one that was found for it
  bool move_only_whole_gangs = true;      // a gang is moved only where it stands whole afterwards
  bool reservations_in_namespace = true;  // the label of GPU reservations counts in their namespace only
  bool ready_sub_groups_first = true;  // of sub groups of which not all are needed, those that can be whole
  bool finished_pods_count = true;     // a gang of which pods finished needs only as many as are left
  bool each_volume_once = true;        // a volume that a pod of this cycle gets is there for no other claim
  bool volume_limits = true;           // nodes take as many volumes as their storage drivers can attach
  bool narrow_scenarios = true;        // reclaim does not empty many nodes for one that wants little

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
});
static_assert(kCompatibilityOptions.size() == sizeof(Compatibility),
              "every member has its line in the table");

constexpr Compatibility Compatibility::kai_exact() {
  Compatibility kai;
  for (const CompatibilityOption& option : kCompatibilityOptions) kai.*option.is_ours = false;
  return kai;
}

}  // namespace muster
