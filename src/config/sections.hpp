// Sections of a configuration that several kinds of files share.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "config/known_names.hpp"
#include "config/setting.hpp"

namespace muster {

// "plugin" or "action", and the known names.
struct ComponentKind {
  std::string_view noun;
  std::span<const KnownComponent> known;
};

// Returns null and reports an error if the name is unknown.
const KnownComponent* look_up(const Setting& setting, const ComponentKind& species, std::string_view name);
void read_arguments(const Setting& setting, const ComponentKind& species, const KnownComponent& known,
                    ComponentConfig& component);

void read_queue_depth(const Setting& setting, const ComponentKind& species,
                      std::map<std::string, int>& depths);
void read_limits(const Setting& setting, const KnownNames& names, SearchLimits& limits);

// A parameter that KAI-Scheduler also has as a flag; `other` is the name of the flag if it differs.
struct ParameterName {
  std::string_view name, other = {};
  bool is_non_negative = false;
};
template <class Params, class Use>
void each_parameter(Params& params, const Use& use) {
  use(ParameterName{"schedulerName"}, params.scheduler_name);
  use(ParameterName{"nodePoolLabelKey"}, params.node_pool_label_key);
  use(ParameterName{"partitionLabelValue", "nodePoolLabelValue"}, params.partition_label_value);
  use(ParameterName{"queueLabelKey"}, params.queue_label_key);
  use(ParameterName{"resourceReservationAppLabel"}, params.resource_reservation_app_label);
  use(ParameterName{"resourceReservationNamespace"}, params.resource_reservation_namespace);
  use(ParameterName{"cpuWorkerNodeLabelKey", "cpuWorkerLabelKey"}, params.cpu_worker_label_key);
  use(ParameterName{"gpuWorkerNodeLabelKey", "gpuWorkerLabelKey"}, params.gpu_worker_label_key);
  use(ParameterName{"migWorkerNodeLabelKey", "migWorkerLabelKey"}, params.mig_worker_label_key);
  use(ParameterName{.name = "schedulePeriod", .is_non_negative = true}, params.schedule_period);
  use(ParameterName{"globalDefaultStalenessGracePeriod", "defaultStalenessGracePeriod"},
      params.default_staleness_grace_period);
  use(ParameterName{.name = "stuckInReleasingThreshold", .is_non_negative = true},
      params.stuck_in_releasing_threshold);
  use(ParameterName{"maxNumberConsolidationPreemptees", "maxConsolidationPreemptees"},
      params.max_consolidation_preemptees);
  use(ParameterName{"numOfStatusRecordingWorkers"}, params.status_recording_workers);
  use(ParameterName{"restrictSchedulingNodes", "restrictNodeScheduling"}, params.restrict_node_scheduling);
  use(ParameterName{"fullHierarchyFairness"}, params.full_hierarchy_fairness);
  use(ParameterName{"allowConsolidatingReclaim"}, params.allow_consolidating_reclaim);
  use(ParameterName{"useSchedulingSignatures"}, params.use_scheduling_signatures);
  use(ParameterName{"scheduleCSIStorage"}, params.schedule_csi_storage);
  use(ParameterName{"dynamicResourceAllocation"}, params.dynamic_resource_allocation);
  use(ParameterName{"detailedFitErrors"}, params.detailed_fit_errors);
  use(ParameterName{"updatePodEvictionCondition"}, params.update_pod_eviction_condition);
}
std::vector<SettingKey> parameter_keys(SchedulerParams& params);
void read_params(const Setting& setting, SchedulerParams& params);

// Reads the scheduler's own file.
void read_config(const Setting& root, const KnownNames& names, Config& config);

// Remembers the location of the setting unless it is null.
inline SettingReader placed(Location& place, SettingReader read) {
  return [&place, read = std::move(read)](const Setting& setting) {
    if (!setting.is_null()) place = setting.where();
    read(setting);
  };
}

}  // namespace muster
