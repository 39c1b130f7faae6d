// `muster reserve-gpu` runs in a reservation pod. It records the assigned GPU in an annotation of the pod and
// holds the GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/serve/gpu_device.hpp"
#include "kube/api_client.hpp"
#include "kube/credentials.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

struct ReserveFlags {
  std::string kubeconfig, pod, ns;
};

kube::ApiRequest device_report(const ReserveFlags& flags, const std::string& device) {
  const nlohmann::json body = {{"metadata", {{"annotations", {{"run.ai/reserve_for_gpu_index", device}}}}}};
  return {.method = "PATCH",
          .path = kube::resources::kPods.path(flags.ns, flags.pod),
          .body = kube::json_text(body),
          .content_type = kube::kMergePatch};
}

kube::Async<void> report_device(kube::ApiClient* client, ReserveFlags flags, std::string device,
                                bool* is_reported) {
  kube::Backoff backoff;
  for (bool goes_on = true; goes_on;) {
    const kube::HttpResponse answer = co_await client->send(device_report(flags, device));
    *is_reported = answer.ok();
    goes_on = kube::is_transient(answer);
    if (!answer.ok()) write_message("error: {}: {}", flags.pod, describe(answer));
    if (goes_on) co_await client->loop().sleep(backoff.next(answer.retry_after));
  }
  client->loop().stop();
}

// Blocks SIGTERM and SIGINT, so that they stay pending until sigwait().
sigset_t keep_end_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return ends;
}

int run_reserve_gpu(const ReserveFlags& flags) {
  const std::string device = assigned_gpu();
  if (device.empty()) {
    write_message("error: no GPU found, neither through libnvidia-ml.so.1 nor in NVIDIA_VISIBLE_DEVICES");
    return kNo;
  }
  const auto who = flags.kubeconfig.empty() && kube::runs_in_cluster()
                       ? kube::in_cluster_credentials()
                       : kube::read_kubeconfig(flags.kubeconfig);
  if (!who) {
    write_message("error: {}", who.error().text());
    return kExternalFailure;
  }
  bool is_reported = false;
  {
    kube::Loop loop;
    kube::ApiClient client(loop, *who);
    const auto begin = [&] {
      kube::spawn(report_device(&client, flags, device, &is_reported), "reporting the GPU",
                  kube::TaskKind::kEssential);
    };
    loop.post(begin);
    loop.run();
  }
  if (!is_reported) return kExternalFailure;
  const sigset_t ends = keep_end_signals();
  write_out(format_text("holding {}\n", device));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);  // arrives when the pod is deleted
  return kSuccess;
}

}  // namespace

void add_reserve_gpu(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ReserveFlags>();
  CLI::App* command = app.add_subcommand(
      "reserve-gpu", "Hold the GPU of this pod and report which one it is; runs in pods created by `serve`");
  command->group("");  // hidden, because users do not run it
  command->add_option("--pod-name", flags->pod, "Name of the pod that this runs in")
      ->envname("POD_NAME")
      ->required();
  command->add_option("--pod-namespace", flags->ns, "Namespace of the pod")
      ->envname("POD_NAMESPACE")
      ->required();
  command->add_option("--kubeconfig", flags->kubeconfig, "Kubeconfig to use outside a cluster")
      ->type_name("FILE");
  command->callback([flags, &exit_code] { exit_code = run_reserve_gpu(*flags); });
}

}  // namespace muster::cli
