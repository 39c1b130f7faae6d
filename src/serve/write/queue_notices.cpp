// Reports each problem of a queue once, for as long as it persists.
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

void QueueNotices::report(const Cluster& cluster, const RequeueRecord& record) {
  std::set<std::pair<std::string, std::string>> current;
  for (const QueueWarning& warning : record.queue_warnings) {
    const Queue& queue = cluster.queue(warning.queue);
    const auto [notice, is_new] = current.emplace(queue.meta.uid, warning.problem);
    if (is_new && !reported_.contains(*notice))
      events_.record({.about = reference_to(queue),
                      .is_warning = true,
                      .reason = "SettingIgnored",
                      .message = warning.problem});
  }
  reported_ = std::move(current);
}

}  // namespace muster::serve
