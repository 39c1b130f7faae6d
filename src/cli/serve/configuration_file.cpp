// Reads the configuration file, and knows which of its keys a running scheduler can apply.
#include "cli/serve/configuration_file.hpp"

#include "policy/policy.hpp"

namespace muster::cli {
namespace {

// A key that a running scheduler cannot change, because it determines how objects are read or written.
struct FixedKey {
  const char* key;
  bool (*is_same)(const SchedulerParams&, const SchedulerParams&);
  void (*keep)(const SchedulerParams& from, SchedulerParams& to);
};

template <auto kMember>
constexpr FixedKey fixed(const char* key) {
  return {key, [](const SchedulerParams& a, const SchedulerParams& b) { return a.*kMember == b.*kMember; },
          [](const SchedulerParams& from, SchedulerParams& to) { to.*kMember = from.*kMember; }};
}

using Params = SchedulerParams;
constexpr FixedKey kFixedKeys[] = {
    fixed<&Params::scheduler_name>("schedulerName"),
    fixed<&Params::node_pool_label_key>("nodepoolLabelKey"),
    fixed<&Params::partition_label_value>("partitionLabelValue"),
    fixed<&Params::queue_label_key>("queueLabelKey"),
    fixed<&Params::resource_reservation_app_label>("resourceReservationAppLabel"),
    fixed<&Params::resource_reservation_namespace>("resourceReservationNamespace"),
    fixed<&Params::cpu_worker_label_key>("cpuWorkerNodeLabelKey"),
    fixed<&Params::gpu_worker_label_key>("gpuWorkerNodeLabelKey"),
    fixed<&Params::mig_worker_label_key>("migWorkerNodeLabelKey"),
    fixed<&Params::stuck_in_releasing_threshold>("stuckInReleasingThreshold"),
    fixed<&Params::restrict_node_scheduling>("restrictNodeScheduling"),
    fixed<&Params::full_hierarchy_fairness>("fullHierarchyFairness"),
    fixed<&Params::update_pod_eviction_condition>("updatePodEvictionCondition"),
};

bool have_same_source(const UsageSettings& a, const UsageSettings& b) {
  return a.client_type == b.client_type && a.connection_string == b.connection_string &&
         a.connection_string_env_var == b.connection_string_env_var && a.window_type == b.window_type &&
         a.window_size == b.window_size && a.half_life == b.half_life &&
         a.fetch_interval == b.fetch_interval && a.staleness == b.staleness;
}

// Restores the fixed keys of the running configuration, so that model and engine use the same values.
void keep_fixed(const Config& running, ServeConfiguration& read) {
  for (const FixedKey& key : kFixedKeys) key.keep(running.params, read.config.params);
  read.config.params.compatibility = running.params.compatibility;
  read.policy = policy::make_policy(read.config, read.errors);
}

std::vector<std::string> texts_of(const std::vector<Error>& errors) {
  std::vector<std::string> texts;
  for (const Error& error : errors) texts.push_back(error.text());
  return texts;
}

}  // namespace

ServeConfiguration read_configuration(const ServeFlags& flags) {
  LoadedConfig loaded =
      flags.config_file.empty() ? LoadedConfig{} : load_config(flags.config_file, policy::known_names());
  ServeConfiguration read{.config = std::move(loaded.config),
                          .policy = {},
                          .errors = std::move(loaded.errors),
                          .warnings = std::move(loaded.warnings),
                          .notes = std::move(loaded.notes)};
  if (!read.errors.empty()) return read;
  SchedulerParams& params = read.config.params;
  if (flags.kai_exact) params.compatibility = Compatibility::kai_exact();
  for (const auto& change : flags.overrides) change(params);
  read.policy = policy::make_policy(read.config, read.errors);
  if (std::string skipped = policy::skipped_text(read.config); !skipped.empty())
    read.warnings.push_back({.message = std::move(skipped), .where = {}});
  return read;
}

std::vector<std::string> keys_that_need_restart(const Config& running, const Config& wanted) {
  std::vector<std::string> keys;
  for (const FixedKey& fixed : kFixedKeys)
    if (!fixed.is_same(running.params, wanted.params)) keys.emplace_back(fixed.key);
  for (const CompatibilityOption& option : kCompatibilityOptions)
    if (running.params.compatibility.*option.is_ours != wanted.params.compatibility.*option.is_ours)
      keys.emplace_back(option.key);
  if (!have_same_source(running.usage, wanted.usage)) keys.emplace_back("usageDBConfig");
  return keys;
}

serve::ConfigurationFile configuration_file(const ServeFlags& flags, const Config& running) {
  return {.path = flags.config_file, .read = [flags, running] {
            ServeConfiguration read = read_configuration(flags);
            const auto later = keys_that_need_restart(running, read.config);
            if (!later.empty() && read.errors.empty()) keep_fixed(running, read);
            return serve::ConfigurationRead{.errors = texts_of(read.errors),
                                            .warnings = texts_of(read.warnings),
                                            .after_restart = later,
                                            .policy = std::move(read.policy),
                                            .config = text_of(read.config),
                                            .schedule_period = read.config.params.schedule_period};
          }};
}

}  // namespace muster::cli
