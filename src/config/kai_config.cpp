// Reads from KAI-Scheduler's Config the names that its components share. The rest does not concern the
// scheduler: docs/kai/kubernetes.md 1.6.
#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "config/kai_objects.hpp"

namespace muster {
namespace {

// Reads only these keys of a mapping and ignores all others.
SettingReader some_keys(std::vector<SettingKey> keys) {
  return [keys = std::move(keys)](const Setting& setting) {
    setting.each_member([&](const std::string& name, const Setting& value) {
      for (const SettingKey& key : keys)
        if (key.is_called(name)) key.read(value);
    });
  };
}

void add_ignored(std::initializer_list<std::string_view> names, std::vector<SettingKey>& keys) {
  for (const std::string_view name : names) keys.push_back({name, ignored()});
}

void read_global(const Setting& global, SchedulerParams& params) {
  std::vector<SettingKey> keys{{"schedulerName", into(params.scheduler_name)},
                               {"nodePoolLabelKey", into(params.node_pool_label_key)},
                               {"queueLabelKey", into(params.queue_label_key)}};
  add_ignored({"openshift", "affinity", "requireDefaultPodAntiAffinityTerm", "securityContext",
               "additionalImagePullSecrets", "nodeSelector", "tolerations", "daemonsetsTolerations",
               "replicaCount", "namespaceLabelSelector", "podLabelSelector", "jsonLog"},
              keys);
  global.read_keys(keys);
}

struct Prometheus {
  std::string kai_namespace = "kai-scheduler", external;
  bool is_enabled = false;

  std::string url() const {
    return is_enabled ? fmt::format("http://usage-prometheus.{}.svc.cluster.local:9090", kai_namespace)
                      : external;
  }
};

void read_spec(const Setting& spec, SchedulerParams& params, Prometheus& prometheus) {
  std::vector<SettingKey> keys{
      {"namespace", into(prometheus.kai_namespace)},
      {"global", [&](const Setting& s) { read_global(s, params); }},
      {"binder", some_keys({{"resourceReservation",
                             some_keys({{"appLabel", into(params.resource_reservation_app_label)},
                                        {"namespace", into(params.resource_reservation_namespace)}})}})},
      {"prometheus", some_keys({{"enabled", into(prometheus.is_enabled)},
                                {"externalPrometheusUrl", into(prometheus.external)}})}};
  add_ignored({"podGrouper", "admission", "scheduler", "queueController", "podGroupController",
               "nodeScaleAdjuster", "numaPlacementExporter"},
              keys);
  spec.read_keys(keys);
}

}  // namespace

std::string read_kai_config(const Setting& root, SchedulerParams& params) {
  Prometheus prometheus;
  root.read_keys({{"apiVersion", ignored()},
                  {"kind", ignored()},
                  {"metadata", ignored()},
                  {"status", ignored()},
                  {"spec", [&](const Setting& s) { read_spec(s, params, prometheus); }}});
  return prometheus.url();
}

}  // namespace muster
