// The flags of `muster serve`: its own, those shared with KAI-Scheduler, and KAI-Scheduler's flags that are
// accepted but ignored.
#include "cli/serve/serve_flags.hpp"

#include <CLI/CLI.hpp>
#include <array>

#include "cli/options.hpp"

namespace muster::cli {
namespace {

constexpr const char* kKaiGroup = "Same as in KAI-Scheduler";

template <class Value>
using Member = Value SchedulerParams::*;

void text_flag(CLI::App& command, ServeFlags& flags, const char* name, Member<std::string> member,
               const char* help) {
  command
      .add_option_function<std::string>(
          name,
          [&flags, member](const std::string& text) {
            flags.overrides.push_back([member, text](SchedulerParams& p) { p.*member = text; });
          },
          help)
      ->type_name("TEXT")
      ->group(kKaiGroup);
}

void duration_flag(CLI::App& command, ServeFlags& flags, const char* name, Member<Duration> member,
                   const char* help) {
  command
      .add_option_function<std::string>(
          name,
          [&flags, member](const std::string& text) {
            const Duration value = parse_duration(text).value_or(Duration{});
            flags.overrides.push_back([member, value](SchedulerParams& p) { p.*member = value; });
          },
          help)
      ->type_name("DURATION")
      ->check(is_duration())
      ->group(kKaiGroup);
}

void bool_flag(CLI::App& command, ServeFlags& flags, const char* name, Member<bool> member,
               const char* help) {
  command
      .add_flag_function(
          name,
          [&flags, member](std::int64_t count) {
            flags.overrides.push_back([member, count](SchedulerParams& p) { p.*member = count > 0; });
          },
          help)
      ->group(kKaiGroup);
}

void add_engine_flags(CLI::App& command, ServeFlags& flags) {
  using P = SchedulerParams;
  text_flag(command, flags, "--scheduler-name", &P::scheduler_name, "schedulerName of the pods to schedule");
  text_flag(command, flags, "--nodepool-label-key", &P::node_pool_label_key,
            "Label that divides the cluster into node pools");
  text_flag(command, flags, "--partition-label-value", &P::partition_label_value,
            "Value of that label for this scheduler's node pool");
  text_flag(command, flags, "--queue-label-key", &P::queue_label_key, "Label that names a workload's queue");
  text_flag(command, flags, "--resource-reservation-app-label", &P::resource_reservation_app_label,
            "Value of the label app on pods that reserve shared GPUs");
  text_flag(command, flags, "--cpu-worker-node-label-key", &P::cpu_worker_label_key,
            "Label of nodes for CPU pods");
  text_flag(command, flags, "--gpu-worker-node-label-key", &P::gpu_worker_label_key,
            "Label of nodes for GPU pods");
  text_flag(command, flags, "--mig-worker-node-label-key", &P::mig_worker_label_key,
            "Label of nodes with MIG GPUs");
  duration_flag(command, flags, "--schedule-period", &P::schedule_period, "Maximum time between cycles");
  duration_flag(command, flags, "--default-staleness-grace-period", &P::default_staleness_grace_period,
                "How long a gang may run below its minimum; negative: no limit");
  duration_flag(command, flags, "--stuck-in-releasing-threshold", &P::stuck_in_releasing_threshold,
                "Stop counting a terminating pod as future capacity after this time");
  bool_flag(command, flags, "--restrict-node-scheduling", &P::restrict_node_scheduling,
            "Run GPU pods only on GPU workers, other pods only on CPU workers");
  bool_flag(command, flags, "--full-hierarchy-fairness", &P::full_hierarchy_fairness,
            "Apply fairness to the whole queue tree");
  bool_flag(command, flags, "--allow-consolidating-reclaim", &P::allow_consolidating_reclaim,
            "Allow reclaim to move victims instead of evicting them");
  bool_flag(command, flags, "--use-scheduling-signatures", &P::use_scheduling_signatures,
            "Skip jobs that are identical to one that did not fit");
  bool_flag(command, flags, "--schedule-csi-storage", &P::schedule_csi_storage, "Consider storage capacity");
  bool_flag(command, flags, "--detailed-fit-errors", &P::detailed_fit_errors,
            "Write one line per node in fit errors");
  bool_flag(command, flags, "--update-pod-eviction-condition", &P::update_pod_eviction_condition,
            "Set condition DisruptionTarget before evicting a pod");
  command
      .add_option_function<int>(
          "--max-consolidation-preemptees",
          [&flags](const int& most) {
            flags.overrides.push_back([most](SchedulerParams& p) { p.max_consolidation_preemptees = most; });
          },
          "Maximum number of jobs that consolidation moves at once; negative: no limit")
      ->type_name("N")
      ->group(kKaiGroup);
}

// Accepted so that a KAI Deployment's arguments work as they are.
constexpr std::array kIgnoredOptions = {"--log-flush-frequency",
                                        "--plugin-server-port",
                                        "--profiler-port",
                                        "--pyroscope-address",
                                        "--pyroscope-mutex-profiler-rate",
                                        "--pyroscope-block-profiler-rate",
                                        "--num-of-status-recording-workers",
                                        "--feature-gates"};
constexpr std::array kIgnoredSwitches = {"--enable-profiler", "--version"};

void add_ignored_flags(CLI::App& command, ServeFlags& flags) {
  for (const char* name : kIgnoredOptions)
    command
        .add_option_function<std::string>(
            name, [&flags, name](const std::string&) { flags.ignored.emplace_back(name); }, "Ignored")
        ->group(kKaiGroup);
  for (const char* name : kIgnoredSwitches)
    command
        .add_flag_function(
            name, [&flags, name](std::int64_t) { flags.ignored.emplace_back(name); }, "Ignored")
        ->group(kKaiGroup);
}

void add_daemon_flags(CLI::App& command, ServeFlags& flags) {
  serve::DaemonOptions& d = flags.daemon;
  command
      .add_option("--scheduler-conf,--config", flags.config_file,
                  "Configuration: KAI's scheduler file, a SchedulingShard, a KAI Config or a ConfigMap")
      ->type_name("FILE")
      ->group(kKaiGroup);
  command.add_option("--namespace", d.ns, "Namespace of the lease")->capture_default_str()->group(kKaiGroup);
  command.add_flag("--leader-elect", d.elects_leader, "Let only one of several replicas act")
      ->group(kKaiGroup);
  command
      .add_option("--listen-address", d.listen_address, "Listen address of /metrics, /healthz and /readyz")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(kKaiGroup);
  command
      .add_option("--web-address", d.web.address, "Listen address of the HTTP API /api/v1/ (default: none)")
      ->type_name("HOST:PORT");
  CLI::Option* certificate =
      command
          .add_option("--web-cert", d.web.certificate,
                      "TLS certificate of the HTTP API with its intermediates, PEM; reloaded when it changes")
          ->type_name("FILE");
  CLI::Option* key =
      command.add_option("--web-key", d.web.key, "Private key of --web-cert, PEM")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  command
      .add_option(
          "--web-auth", flags.web_auth,
          "Access to the HTTP API: with a token that the API server accepts, or unrestricted (loopback only)")
      ->check(is_one_of({"token", "none"}))
      ->capture_default_str();
  command.add_option("--metrics-namespace", d.metrics_prefix, "Prefix of metric names")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_option("--qps", d.writes_per_second, "Maximum writes per second; 0: no limit")
      ->type_name("N")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_option("--burst", d.burst, "Writes allowed in a burst above --qps")
      ->type_name("N")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_option("--v", d.verbosity, "Log level: 0 errors, 1 warnings, 2 to 4 events, 5 and 6 reasons")
      ->type_name("N")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_flag("--log-json", d.logs_json, "Write log lines as JSON")->group(kKaiGroup);
}

}  // namespace

void add_serve_flags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--kubeconfig", flags.kubeconfig,
                  "Kubeconfig of the cluster (default: the pod's ServiceAccount, then $KUBECONFIG)")
      ->type_name("FILE");
  command.add_option("--context", flags.context, "Context of the kubeconfig")->type_name("NAME");
  command.add_option("--binding", flags.binding, "How pods are bound: directly, or by KAI's binder")
      ->check(CLI::IsMember({"direct", "bindrequest"}))
      ->capture_default_str();
  command
      .add_option("--eviction", flags.eviction,
                  "How victims are evicted: by deletion, or by the eviction API, which respects budgets")
      ->check(CLI::IsMember({"delete", "api"}))
      ->capture_default_str();
  command
      .add_option("--pod-grouper", flags.pod_grouper,
                  "Create PodGroups for workloads; auto: only with direct binding")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command
      .add_option("--default-queues", flags.queue_file,
                  "Queues to create in a cluster without queues (default: default-parent-queue, "
                  "default-queue)")
      ->type_name("FILE");
  command
      .add_option(
          "--gpu-reservation-image", flags.daemon.reservations.image,
          "With direct binding: muster image for the pods that hold shared GPUs; without it, shared GPUs are "
          "not held")
      ->type_name("IMAGE");
  command
      .add_option("--gpu-reservation-runtime-class", flags.daemon.reservations.runtime_class,
                  "RuntimeClass of the pods that hold shared GPUs")
      ->type_name("NAME");
  command.add_flag(
      "--gpu-scaling-pods", flags.daemon.scaling.is_on,
      "With --gpu-reservation-image: if GPU shares do not fit, create pods that request whole GPUs, which "
      "trigger a cluster autoscaler");
  command
      .add_option("--self-check-cycles", flags.daemon.cycles_between_checks,
                  "Compare the model with a fresh list every N cycles; 0: only on SIGUSR1")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--dry-run", flags.dry_run,
                  "server: the API server validates every write but stores none; no leader is elected")
      ->check(CLI::IsMember({"server"}));
  command.add_flag("--shadow", flags.daemon.shadow,
                   "Decide alongside another scheduler without writing; /shadow shows the differences");
  command.add_flag("--kai-exact", flags.kai_exact,
                   "Make the same decisions as KAI-Scheduler, even where muster would differ");
  add_daemon_flags(command, flags);
  add_engine_flags(command, flags);
  add_ignored_flags(command, flags);
}

}  // namespace muster::cli
