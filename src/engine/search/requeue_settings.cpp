// A job's own setting takes precedence, then that of the nearest ancestor queue with one.
#include "engine/search/requeue_settings.hpp"

#include "util/keys.hpp"

namespace muster {
namespace {

// "" if no queue has the setting.
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

bool is_good_default(const std::string& runtime) {
  const auto value = parse_duration(runtime);
  return value && *value >= Duration::zero();
}

std::string bad_delay(const std::string& text) {
  return "annotation " + std::string(keys::kRequeueDelay) + ": \"" + text +
         "\" is not a duration of zero or more; the default is used";
}

}  // namespace

std::optional<std::string> expected_runtime(const Cluster& cluster, JobId id) {
  const auto& own = cluster.job(id).expected_runtime;
  if (own && !is_zero(*own)) return own;
  const std::string of_queue = inherited(cluster, id, &Queue::expected_runtime);
  if (own) return of_queue.empty() ? own : std::nullopt;
  return is_zero(of_queue) || !is_good_default(of_queue) ? std::nullopt : std::optional(of_queue);
}

RequeueDelay requeue_delay(const Cluster& cluster, JobId id) {
  const auto& own = cluster.job(id).requeue_delay;
  const std::string text = own ? *own : inherited(cluster, id, &Queue::requeue_delay);
  if (!own && text.empty()) return {};
  const auto given = parse_duration(text);
  if (given && *given >= Duration::zero()) return {.given = given, .problem = ""};
  return {.given = std::nullopt, .problem = own ? bad_delay(text) : ""};
}

std::vector<std::string> requeue_problems(const Queue& queue) {
  std::vector<std::string> problems;
  if (!queue.expected_runtime.empty() && !is_good_default(queue.expected_runtime))
    problems.push_back("annotation " + std::string(keys::kExpectedRuntime) + ": \"" + queue.expected_runtime +
                       "\" is not a duration of zero or more; jobs of the queue get no expected runtime");
  const auto delay = parse_duration(queue.requeue_delay);
  if (!queue.requeue_delay.empty() && (!delay || *delay < Duration::zero()))
    problems.push_back(bad_delay(queue.requeue_delay));
  return problems;
}

}  // namespace muster
