// `muster serve`: reads flags and files and runs the daemon.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/serve/configuration_file.hpp"
#include "cli/serve/queue_file.hpp"
#include "cli/serve/serve_flags.hpp"
#include "kube/credentials.hpp"
#include "policy/policy.hpp"
#include "serve/web/web_server.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

Result<kube::Credentials> credentials(const ServeFlags& flags) {
  if (flags.kubeconfig.empty() && flags.context.empty() && kube::runs_in_cluster())
    return kube::in_cluster_credentials();
  return kube::read_kubeconfig(flags.kubeconfig, flags.context);
}

bool report(const std::vector<Error>& errors) {
  for (const Error& error : errors) write_message("error: {}", error.text());
  return !errors.empty();
}

serve::DaemonOptions daemon_options(const ServeFlags& flags, const Config& config) {
  const SchedulerParams& params = config.params;
  serve::DaemonOptions options = flags.daemon;
  options.web_asks_tokens = flags.web_auth == "token";
  options.reclaims_by_lca = policy::reclaims_by_lca(config);
  options.scheduler_name = params.scheduler_name;
  options.queue_label = params.queue_label_key;
  options.node_pool_label = params.node_pool_label_key;
  options.node_pool = params.partition_label_value;
  options.schedule_period = params.schedule_period;
  options.marks_evicted_pods = params.update_pod_eviction_condition;
  options.binding = flags.binding == "direct" ? serve::Binding::kDirect : serve::Binding::kBindRequest;
  options.evict_by = flags.eviction == "delete" ? serve::EvictBy::kDelete : serve::EvictBy::kEvictionApi;
  options.groups_pods = flags.pod_grouper == "on" ||
                        (flags.pod_grouper == "auto" && options.binding == serve::Binding::kDirect);
  options.reservations.ns = params.resource_reservation_namespace;
  options.reservations.app = params.resource_reservation_app_label;
  options.scaling.image = options.reservations.image;
  options.scaling.is_on = options.scaling.is_on && !options.scaling.image.empty();
  options.dry_run = flags.dry_run == "server";
  options.elects_leader =
      options.elects_leader && !options.dry_run && !options.shadow;  // cannot store a lease
  options.groups_pods = options.groups_pods && !options.shadow;
  options.cluster = policy::cluster_options(params);
  options.config = text_of(config);
  options.configuration = configuration_file(flags, config);
  return options;
}

// Sets the source of past usage. KAI's clients for tests provide none.
bool take_usage(const Config& config, serve::DaemonOptions& options) {
  options.usage = config.usage;
  options.usage.fades_when_stale = config.params.compatibility.usage_ages_out;
  if (config.usage.client_type.starts_with("fake"))
    write_message("warning: usageDBConfig: clientType {} provides no past usage; use prometheus or embedded",
                  config.usage.client_type);
  if (!config.usage.is_prometheus()) return true;
  auto address = usage_address(config.usage);
  if (!address) return !report({address.error()});
  options.usage_address = std::move(*address);
  return true;
}

bool take_queues(const ServeFlags& flags, serve::DaemonOptions& options) {
  if (flags.queue_file.empty()) return true;
  auto queues = read_queue_file(flags.queue_file);
  if (!queues) return !report({queues.error()});
  options.default_queues = std::move(*queues);
  return true;
}

int run_serve(const ServeFlags& flags) {
  if (flags.web_auth == "none" && !flags.daemon.web.address.empty() &&
      !serve::is_loopback(flags.daemon.web.address)) {
    write_message(
        "error: --web-auth none is allowed only on loopback, e.g. with --web-address 127.0.0.1:8081");
    return kUsage;
  }
  ServeConfiguration read = read_configuration(flags);
  if (report(read.errors)) return kNo;
  for (const Error& warning : read.warnings) write_message("warning: {}", warning.text());
  for (const std::string& note : read.notes) write_message("note: {}", note);
  for (const std::string& name : flags.ignored) write_message("warning: {} has no effect", name);
  serve::DaemonOptions options = daemon_options(flags, read.config);
  if (!take_usage(read.config, options) || !take_queues(flags, options)) return kNo;
  auto who = credentials(flags);
  if (!who) {
    write_message("error: {}", who.error().text());
    return kExternalFailure;
  }
  return serve::run_daemon(std::move(options), std::move(read.policy), std::move(*who));
}

}  // namespace

void add_serve(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command = app.add_subcommand("serve", "Schedule a live Kubernetes cluster");
  command->group("Run a cluster");
  add_serve_flags(*command, *flags);
  command->footer(
      "Schedules the pods that name this scheduler, until SIGTERM. SIGUSR1 compares the model with a fresh "
      "list.\n\n"
      "Examples:\n"
      "  muster serve --kubeconfig ~/.kube/config\n"
      "  muster serve --leader-elect --namespace muster --scheduler-conf /etc/muster/config.yaml");
  command->callback([flags, &exit_code] { exit_code = run_serve(*flags); });
}

}  // namespace muster::cli
