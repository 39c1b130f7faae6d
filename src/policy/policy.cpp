// Translates the configuration for the engine: the registries create plugins and actions, the rest is copied.
#include "policy/policy.hpp"

#include <fmt/format.h>

#include "actions/registry.hpp"
#include "plugins/registry.hpp"

namespace muster::policy {

KnownNames known_names() {
  return {.plugins = plugins::known_plugins(), .actions = actions::known_actions()};
}

ClusterOptions cluster_options(const SchedulerParams& p) {
  return {.scheduler_name = p.scheduler_name,
          .node_pool_label = p.node_pool_label_key,
          .node_pool = p.partition_label_value,
          .queue_label = p.queue_label_key,
          .reservation_app = p.resource_reservation_app_label,
          .reservation_namespace = p.resource_reservation_namespace,
          .mig_worker_label = p.mig_worker_label_key,
          .cpu_worker_label = p.cpu_worker_label_key,
          .gpu_worker_label = p.gpu_worker_label_key,
          .restrict_node_scheduling = p.restrict_node_scheduling,
          .full_hierarchy = p.full_hierarchy_fairness,
          .stuck_threshold = p.stuck_in_releasing_threshold,
          .compatibility = p.compatibility};
}

bool reclaims_by_lca(const Config& config) {
  for (const PluginConfig& plugin : config.plugins) {
    const auto method = plugin.arguments.find("reclaimResolveMethod");
    if (plugin.name == "minruntime" && method != plugin.arguments.end()) return method->second != "queue";
  }
  return true;
}

Policy make_policy(const Config& config, std::vector<Error>& errors) {
  const SchedulerParams& p = config.params;
  Policy policy;
  policy.plugins = plugins::make_plugins(config, errors);
  policy.actions = actions::make_actions(config, errors);
  policy.settings = {.queue_depth = config.queue_depth,
                     .max_consolidation_victims = p.max_consolidation_preemptees,
                     .allow_consolidating_reclaim = p.allow_consolidating_reclaim,
                     .use_signatures = p.use_scheduling_signatures,
                     .staleness_grace = p.default_staleness_grace_period,
                     .search = config.search,
                     .compatibility = p.compatibility};
  return policy;
}

std::string skipped_text(const Config& config) {
  const std::vector<std::string> skipped = plugins::skipped_plugins(config);
  if (skipped.empty()) return "";
  const bool is_one = skipped.size() == 1;
  return fmt::format("plugin{} {} {} not in this version and {} skipped", is_one ? "" : "s",
                     fmt::join(skipped, ", "), is_one ? "is" : "are", is_one ? "is" : "are");
}

std::string usage_text(const Config& config) {
  if (config.usage.client_type.empty()) return "";
  return Error{"simulate reads the past usage of queues only from --usage", config.places.usage}.text();
}

}  // namespace muster::policy
