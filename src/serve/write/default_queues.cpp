// Creates the two default queues of KAI-Scheduler, or the configured ones.
#include "serve/write/default_queues.hpp"

#include <nlohmann/json.hpp>

#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "serve/health/log.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/requests.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;
namespace resources = kube::resources;

constexpr const char* kParent = "default-parent-queue";
constexpr const char* kQueue = "default-queue";

// As in KAI-Scheduler: the quota of the parent is unlimited, that of the queue is zero.
json queue(const std::string& name, const std::string& parent, int quota) {
  const json amounts = {{"quota", quota}, {"limit", -1}, {"overQuotaWeight", 1}};
  json spec = {{"resources", {{"cpu", amounts}, {"gpu", amounts}, {"memory", amounts}}}};
  if (!parent.empty()) spec["parentQueue"] = parent;
  return {{"apiVersion", resources::kQueues.api_version()},
          {"kind", "Queue"},
          {"metadata", {{"name", name}}},
          {"spec", spec}};
}

}  // namespace

kube::Async<void> make_default_queues(WriteServices parts, std::vector<std::string> queues) {
  if (parts.knowledge.knows_any(resources::kQueues)) co_return;
  if (queues.empty())
    queues = {kube::json_text(queue(kParent, "", -1)), kube::json_text(queue(kQueue, kParent, 0))};
  for (const std::string& object : queues) {
    kube::ApiRequest create{.method = "POST", .path = resources::kQueues.path(), .body = object};
    const kube::HttpResponse answer = co_await send_persistently(&parts.client, std::move(create));
    if (!answer.ok() && answer.status != 409)
      co_return parts.log.warning("could not create the default queues: " + describe(answer));
  }
  parts.log.info("created the default queues, since the cluster had no queue");
}

}  // namespace muster::serve
