// Which queues there is something to say about, and whether it was said.
#include "serve/write/queue_notices.hpp"

#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "model/requeue_record.hpp"

namespace muster::serve {

ObjectReference reference_to(const Queue& queue) {
  return {.api_version = kube::resources::kQueues.api_version(),
          .kind = "Queue",
          .ns = "",
          .name = queue.name,
          .uid = queue.meta.uid};
}

void QueueNotices::tell(const Cluster& cluster, const RequeueRecord& record) {
  std::set<std::pair<std::string, std::string>> standing;
  for (const QueueWarning& warning : record.queue_warnings) {
    const Queue& queue = cluster.queue(warning.queue);
    const auto [notice, is_new] = standing.emplace(queue.meta.uid, warning.problem);
    if (is_new && !told_.contains(*notice))
      events_.record({.about = reference_to(queue),
                      .is_warning = true,
                      .reason = "SettingIgnored",
                      .message = warning.problem});
  }
  told_ = std::move(standing);
}

}  // namespace muster::serve
