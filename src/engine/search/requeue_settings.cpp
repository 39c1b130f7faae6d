// The job's own words, else those of the nearest queue above it that has any.
#include "engine/search/requeue_settings.hpp"

#include "util/keys.hpp"

namespace muster {
namespace {

// "": none of the queues says anything.
std::string inherited(const Cluster& cluster, JobId job, std::string Queue::*field) {
  for (QueueId q = cluster.job(job).queue; q.valid(); q = cluster.queue(q).parent)
    if (!(cluster.queue(q).*field).empty()) return cluster.queue(q).*field;
  return "";
}

bool is_zero(const std::string& text) {
  if (text == "0") return true;
  const auto value = parse_duration(text);
  return value && *value == Duration::zero();
}

}  // namespace

std::optional<std::string> expected_runtime(const Cluster& cluster, JobId id) {
  const auto& own = cluster.job(id).expected_runtime;
  if (own && !is_zero(*own)) return own;
  const std::string of_queue = inherited(cluster, id, &Queue::expected_runtime);
  if (own) return of_queue.empty() ? own : std::nullopt;
  return of_queue.empty() || is_zero(of_queue) ? std::nullopt : std::optional(of_queue);
}

RequeueDelay requeue_delay(const Cluster& cluster, JobId id) {
  const auto& own = cluster.job(id).requeue_delay;
  const std::string text = own ? *own : inherited(cluster, id, &Queue::requeue_delay);
  if (!own && text.empty()) return {};
  const auto given = parse_duration(text);
  if (given && *given >= Duration::zero()) return {.given = *given, .problem = ""};
  return {.given = std::nullopt,
          .problem = "annotation " + std::string(keys::kRequeueDelay) + ": \"" + text +
                     "\" is no duration of zero or more; the default counts"};
}

}  // namespace muster
