// Computes the status of queues and limits how often it is written.
#include "serve/write/queue_status.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/api_forms.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;

constexpr auto kQueueCheckInterval = std::chrono::seconds(1);
constexpr auto kBetweenWrites = std::chrono::seconds(5);

json children_of(const Cluster& cluster, const Queue& queue) {
  std::vector<std::string> names;
  for (const QueueId child : queue.children)
    if (cluster.queue(child).present) names.push_back(cluster.queue(child).name);
  std::ranges::sort(names);
  return names;
}

json status_of_queue(const Cluster& cluster, const QueueShare& share) {
  const QueueUse& use = cluster.use(share.queue);
  Charge requested = use.allocated;
  requested += use.pending;
  return {{"childQueues", children_of(cluster, cluster.queue(share.queue))},
          {"allocated", answers::to_json(use.allocated)},
          {"allocatedNonPreemptible", answers::to_json(use.non_preemptible)},
          {"requested", answers::to_json(requested)},
          {"fairShare", answers::to_json(share.fair_share)}};
}

}  // namespace

void QueueStatus::publish(const Cluster& cluster, const Decisions& decisions) {
  const auto now = kube::Clock::now();
  if (!is_ours_ || now < checked_at_ + kQueueCheckInterval) return;
  checked_at_ = now;
  for (const QueueShare& share : decisions.shares)
    if (const Queue& queue = cluster.queue(share.queue); queue.present)
      write_status(queue.name, status_of_queue(cluster, share), now);
  absl::erase_if(written_, [&](const auto& entry) {
    const QueueId queue = cluster.find_queue(entry.first);
    return !queue.valid() || !cluster.queue(queue).present;
  });
}

void QueueStatus::write_status(const std::string& queue, const json& status, kube::Clock::time_point now) {
  Written& last = written_[queue];
  std::string text = kube::json_text(status);
  if (last.status == text || now < last.at + kBetweenWrites || updates_.is_full()) return;
  last = {std::move(text), now};
  kube::ApiRequest request{.method = "PATCH",
                           .path = kube::resources::kQueues.path("", queue) + "/status",
                           .body = kube::json_text(json{{"status", status}}),
                           .content_type = kube::kMergePatch,
                           .lane = kube::Lane::kBackground};
  updates_.put(queue, {.make = [request] { return request; }});
}

}  // namespace muster::serve
