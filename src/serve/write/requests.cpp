// Retries writes, and reads the state of pods.
#include "serve/write/requests.hpp"

#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "model/cluster.hpp"
#include "serve/read/observed_state.hpp"

namespace muster::serve {
namespace {

// A write without a final answer is given up after this time; the next cycle decides anew.
constexpr auto kGiveUp = std::chrono::seconds(60);
constexpr auto kTimeout = std::chrono::milliseconds(8'000);

PodState state_of(Json pod, const std::string& uid) {
  const auto metadata = kube::part_at(pod, "metadata"), spec = kube::part_at(pod, "spec");
  if (!metadata || !spec || kube::text_at(*metadata, "uid") != uid) return PodState::kGone;
  if (!kube::text_at(*spec, "nodeName").empty()) return PodState::kBound;
  return kube::text_at(*metadata, "deletionTimestamp").empty() ? PodState::kWaits : PodState::kGone;
}

}  // namespace

PodIdentity identity_of(const Cluster& cluster, TaskId id) {
  const Task& task = cluster.task(id);
  PodIdentity pod{.ns = task.ns, .name = task.name, .uid = task.uid, .created = task.created};
  if (task.job.valid()) {
    pod.job = cluster.job(task.job).name;
    pod.job_uid = cluster.job(task.job).uid;
    pod.has_group = !cluster.job(task.job).is_of_one_pod;
  }
  return pod;
}

kube::Async<kube::HttpResponse> send_persistently(kube::ApiClient* client, kube::ApiRequest request,
                                                  MayRetry may_retry) {
  request.timeout = kTimeout;
  const auto start = kube::Clock::now();
  kube::Backoff backoff;
  for (;;) {
    const kube::HttpResponse answer = co_await client->send(request);
    const bool goes_on = !answer.ok() && may_retry(answer) && client->may_write() &&
                         !client->loop().stopping() && kube::Clock::now() - start < kGiveUp;
    if (!goes_on) co_return answer;
    co_await client->loop().sleep(backoff.next(answer.retry_after));
  }
}

kube::Async<PodState> look_at(WriteServices parts, PodIdentity pod) {
  const kube::HttpResponse answer = co_await parts.client.get(kube::resources::kPods.path(pod.ns, pod.name));
  if (!answer.ok()) co_return answer.status == 404 ? PodState::kGone : PodState::kWaits;
  parts.knowledge.saw(kube::resources::kPods, answer.body);
  simdjson::dom::parser parser;
  Json root;
  const bool is_json = parser.parse(answer.body).get(root) == simdjson::SUCCESS;
  co_return is_json ? state_of(root, pod.uid) : PodState::kWaits;
}

}  // namespace muster::serve
