// The flags of `muster serve`: ours, KAI-Scheduler's that mean something here, and those accepted without
// effect.
#include "cli/serve/serve_flags.hpp"

#include <CLI/CLI.hpp>
#include <array>

#include "cli/options.hpp"

namespace muster::cli {
namespace {

constexpr const char* kKaiGroup = "As KAI-Scheduler";

template <class Value>
using Member = Value SchedulerParams::*;

void text_flag(CLI::App& command, ServeFlags& flags, const char* name, Member<std::string> member,
               const char* help) {
  command
      .add_option_function<std::string>(
          name,
          [&flags, member](const std::string& text) {
            flags.over_file.push_back([member, text](SchedulerParams& p) { p.*member = text; });
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
            flags.over_file.push_back([member, value](SchedulerParams& p) { p.*member = value; });
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
            flags.over_file.push_back([member, count](SchedulerParams& p) { p.*member = count > 0; });
          },
          help)
      ->group(kKaiGroup);
}

void add_engine_flags(CLI::App& command, ServeFlags& flags) {
  using P = SchedulerParams;
  text_flag(command, flags, "--scheduler-name", &P::scheduler_name, "schedulerName of the pods to place");
  text_flag(command, flags, "--nodepool-label-key", &P::node_pool_label_key,
            "Label that divides the cluster");
  text_flag(command, flags, "--partition-label-value", &P::partition_label_value,
            "This scheduler's part of it");
  text_flag(command, flags, "--queue-label-key", &P::queue_label_key, "Label that names a workload's queue");
  text_flag(command, flags, "--resource-reservation-app-label", &P::resource_reservation_app_label,
            "Label app of pods that reserve shared GPUs");
  text_flag(command, flags, "--cpu-worker-node-label-key", &P::cpu_worker_label_key,
            "Label of nodes for CPU pods");
  text_flag(command, flags, "--gpu-worker-node-label-key", &P::gpu_worker_label_key,
            "Label of nodes for GPU pods");
  text_flag(command, flags, "--mig-worker-node-label-key", &P::mig_worker_label_key,
            "Label of nodes with MIG");
  duration_flag(command, flags, "--schedule-period", &P::schedule_period, "Longest time between two cycles");
  duration_flag(command, flags, "--default-staleness-grace-period", &P::default_staleness_grace_period,
                "How long a gang may run below its minimum; negative: for ever");
  duration_flag(command, flags, "--stuck-in-releasing-threshold", &P::stuck_in_releasing_threshold,
                "After this a terminating pod gives no hope of room");
  bool_flag(command, flags, "--restrict-node-scheduling", &P::restrict_node_scheduling,
            "GPU pods on GPU workers only, others on CPU workers only");
  bool_flag(command, flags, "--full-hierarchy-fairness", &P::full_hierarchy_fairness,
            "Fairness over the whole tree");
  bool_flag(command, flags, "--allow-consolidating-reclaim", &P::allow_consolidating_reclaim,
            "Victims of reclaim may be moved instead of evicted");
  bool_flag(command, flags, "--use-scheduling-signatures", &P::use_scheduling_signatures,
            "Do not try what is like something that failed");
  bool_flag(command, flags, "--schedule-csi-storage", &P::schedule_csi_storage, "Look at storage capacity");
  bool_flag(command, flags, "--detailed-fit-errors", &P::detailed_fit_errors,
            "One line per node in fit errors");
  bool_flag(command, flags, "--update-pod-eviction-condition", &P::update_pod_eviction_condition,
            "Condition DisruptionTarget before a pod is evicted");
  command
      .add_option_function<int>(
          "--max-consolidation-preemptees",
          [&flags](const int& most) {
            flags.over_file.push_back([most](SchedulerParams& p) { p.max_consolidation_preemptees = most; });
          },
          "Most jobs that consolidation moves at once; negative: no limit")
      ->type_name("N")
      ->group(kKaiGroup);
}

// Accepted so that a KAI Deployment's arguments work as they are.
constexpr std::array kMeaningless = {"--log-flush-frequency",
                                     "--plugin-server-port",
                                     "--profiler-port",
                                     "--pyroscope-address",
                                     "--pyroscope-mutex-profiler-rate",
                                     "--pyroscope-block-profiler-rate",
                                     "--num-of-status-recording-workers",
                                     "--feature-gates"};
constexpr std::array kMeaninglessSwitches = {"--enable-profiler", "--version"};

void add_meaningless_flags(CLI::App& command, ServeFlags& flags) {
  for (const char* name : kMeaningless)
    command
        .add_option_function<std::string>(
            name, [&flags, name](const std::string&) { flags.meaningless.emplace_back(name); }, "Ignored")
        ->group(kKaiGroup);
  for (const char* name : kMeaninglessSwitches)
    command
        .add_flag_function(
            name, [&flags, name](std::int64_t) { flags.meaningless.emplace_back(name); }, "Ignored")
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
  command.add_flag("--leader-elect", d.elects_leader, "Several replicas: only one acts")->group(kKaiGroup);
  command.add_option("--listen-address", d.listen_address, "Of /metrics, /healthz and /readyz")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_option("--web-address", d.web.address, "Of the interface under /api/v1/ (default: none)")
      ->type_name("HOST:PORT");
  CLI::Option* certificate =
      command
          .add_option(
              "--web-cert", d.web.certificate,
              "Its certificate as PEM, with those between it and the root; read again when it changes")
          ->type_name("FILE");
  CLI::Option* key =
      command.add_option("--web-key", d.web.key, "The key of the certificate as PEM")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  command
      .add_option(
          "--web-auth", flags.web_auth,
          "Who may read there: bearers of a token that the API server knows, or all (on loopback only)")
      ->check(is_one_of({"token", "none"}))
      ->capture_default_str();
  command.add_option("--metrics-namespace", d.metrics_prefix, "First part of metrics' names")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_option("--qps", d.writes_per_second, "Most writes a second; 0: no limit")
      ->type_name("N")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_option("--burst", d.burst, "Writes at once before --qps counts")
      ->type_name("N")
      ->capture_default_str()
      ->group(kKaiGroup);
  command
      .add_option("--v", d.verbosity,
                  "How much is logged: 0 errors, 1 warnings, 2 to 4 what happens, 5 and 6 why")
      ->type_name("N")
      ->capture_default_str()
      ->group(kKaiGroup);
  command.add_flag("--log-json", d.logs_json, "Log lines as JSON")->group(kKaiGroup);
}

}  // namespace

void add_serve_flags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--kubeconfig", flags.kubeconfig,
                  "How to reach the cluster (default: the pod's ServiceAccount, then $KUBECONFIG)")
      ->type_name("FILE");
  command.add_option("--context", flags.context, "Context of the kubeconfig")->type_name("NAME");
  command.add_option("--binding", flags.binding, "Bind pods ourselves, or leave it to KAI's binder")
      ->check(CLI::IsMember({"direct", "bindrequest"}))
      ->capture_default_str();
  command
      .add_option("--eviction", flags.eviction,
                  "Delete victims, or ask the eviction API, which heeds budgets")
      ->check(CLI::IsMember({"delete", "api"}))
      ->capture_default_str();
  command
      .add_option("--pod-grouper", flags.pod_grouper,
                  "Make PodGroups for workloads; auto: with direct binding")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command
      .add_option("--default-queues", flags.queue_file,
                  "Queues to make in a cluster that has none (default: default-parent-queue, default-queue)")
      ->type_name("FILE");
  command
      .add_option(
          "--gpu-reservation-image", flags.daemon.reservations.image,
          "With direct binding: image with muster for the pods that hold shared GPUs; without it nobody "
          "holds them")
      ->type_name("IMAGE");
  command
      .add_option("--gpu-reservation-runtime-class", flags.daemon.reservations.runtime_class,
                  "RuntimeClass of these pods")
      ->type_name("NAME");
  command.add_flag(
      "--gpu-scaling-pods", flags.daemon.scaling.is_on,
      "With --gpu-reservation-image: pods that ask for whole GPUs where shares find no room, for a cluster "
      "autoscaler to see");
  command
      .add_option("--self-check-cycles", flags.daemon.cycles_between_checks,
                  "Compare the model with a fresh list every so many cycles; 0: only on SIGUSR1")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--dry-run", flags.dry_run,
                  "server: the API server checks every write and stores none; no leader is elected")
      ->check(CLI::IsMember({"server"}));
  command.add_flag("--shadow", flags.daemon.shadow,
                   "Decide beside another scheduler and write nothing; /shadow tells where the two differ");
  command.add_flag("--kai-exact", flags.kai_exact,
                   "Decide as KAI-Scheduler does even where muster would differ");
  add_daemon_flags(command, flags);
  add_engine_flags(command, flags);
  add_meaningless_flags(command, flags);
}

}  // namespace muster::cli
