// From the configuration to a policy.
#include "cli/policy.hpp"

#include <fmt/format.h>

#include "actions/registry.hpp"
#include "plugins/registry.hpp"

namespace muster::cli {
namespace {

// "plugins numa, topology", or "".
std::string listed(const char* noun, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("{}{} {}", noun, names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

}  // namespace

ClusterOptions cluster_options(const SchedulerParams& p) {
  return {.scheduler_name = p.scheduler_name,
          .node_pool_label = p.node_pool_label_key,
          .node_pool = p.partition_label_value,
          .reservation_app = p.resource_reservation_app_label,
          .mig_worker_label = p.mig_worker_label_key,
          .cpu_worker_label = p.cpu_worker_label_key,
          .gpu_worker_label = p.gpu_worker_label_key,
          .restrict_node_scheduling = p.restrict_node_scheduling,
          .full_hierarchy = p.full_hierarchy_fairness,
          .stuck_threshold = p.stuck_in_releasing_threshold,
          .compatibility = p.compatibility};
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
  std::vector<std::string> missing_actions, missing_plugins;
  for (const std::string& name : config.actions)
    if (!actions::is_available(name)) missing_actions.push_back(name);
  for (const PluginConfig& plugin : config.plugins)
    if (!plugins::is_available(plugin.name)) missing_plugins.push_back(plugin.name);
  const std::size_t count = missing_actions.size() + missing_plugins.size();
  if (count == 0) return "";
  const char* joint = missing_actions.empty() || missing_plugins.empty() ? "" : " and ";
  return fmt::format("{}{}{} {} not in this version and {} skipped", listed("action", missing_actions), joint,
                     listed("plugin", missing_plugins), count == 1 ? "is" : "are", count == 1 ? "is" : "are");
}

}  // namespace muster::cli
