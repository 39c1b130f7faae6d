#include "serve/self_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "serve/api_document.hpp"
#include "serve/wall_clock.hpp"

namespace muster::serve {
namespace {

namespace resources = kube::resources;

const kube::Resource* const kCompared[] = {&resources::kNodes, &resources::kQueues,
                                           &resources::kPriorityClasses, &resources::kPodGroups,
                                           &resources::kPods};

void take_page(const kube::Resource& resource, Json page, TimePoint now, FreshCluster& fresh) {
  std::vector<Delta> deltas;
  DeltaSink sink(deltas);
  Findings findings;
  kube::each_item(kube::part_at(page, "items"), [&](Json item) {
    decode_object(ApiDocument(item, resource), {.now = now}, sink, findings);
    const auto metadata = kube::part_at(item, "metadata");
    if (!metadata || resource.kind != "Pod") return;
    fresh.pods[kube::key_of(*metadata)] = kube::version_of(*metadata);
  });
  const auto apply = [&](auto& object) {
    if constexpr (requires { fresh.cluster.apply(std::move(object)); })
      fresh.cluster.apply(std::move(object));
  };
  for (Delta& delta : deltas) std::visit(apply, delta);
}

std::string place_of(const Cluster& cluster, TaskId task) {
  const Placement& at = cluster.placement(task);
  const std::string job =
      cluster.task(task).job.valid() ? cluster.job(cluster.task(task).job).full_name() : "no job";
  const std::string node = at.node.valid() ? cluster.node(at.node).name : "no node";
  return fmt::format("{} on {} of {}", name_of(at.status), node, job);
}

}  // namespace

kube::Async<std::unique_ptr<FreshCluster>> read_fresh(kube::ApiClient& client, ClusterOptions options) {
  auto fresh = std::make_unique<FreshCluster>(options);
  simdjson::dom::parser parser;
  const TimePoint now = wall_clock();
  for (const kube::Resource* resource : kCompared) {
    std::string next;
    do {
      std::string path = resource->path() + "?limit=500";
      if (resource->kind == "Pod") path += "&fieldSelector=status.phase%21%3DFailed";
      if (!next.empty()) path += "&continue=" + next;
      const kube::HttpResponse answer = co_await client.get(std::move(path));
      Json page;
      if (!answer.ok() || parser.parse(answer.body).get(page) != simdjson::SUCCESS) co_return nullptr;
      const auto metadata = kube::part_at(page, "metadata");
      if (!metadata) co_return nullptr;
      next = kube::text_at(*metadata, "continue");
      if (resource->kind == "Pod") fresh->version = kube::version_of(*metadata);
      take_page(*resource, page, now, *fresh);
    } while (!next.empty());
  }
  co_return fresh;
}

std::vector<std::string> find_drift(const Cluster& live, FreshCluster& fresh, const kube::Reflector& pods,
                                    const Assumptions& assumptions, TimePoint now) {
  std::vector<std::string> drift;
  fresh.cluster.refresh(now);
  for (const TaskId id : ids(fresh.cluster.tasks())) {
    const Task& task = fresh.cluster.task(id);
    if (!task.alive || assumptions.touches(task.ns, task.name, task.uid)) continue;
    const std::uint64_t listed = fresh.pods[task.full_name()], known = pods.version_of(task.full_name());
    const TaskId ours = live.find_task(task.ns, task.name);
    if (known > listed || (known == 0 && ours.valid())) continue;
    const std::string expected = place_of(fresh.cluster, id);
    const std::string found = ours.valid() ? place_of(live, ours) : "missing";
    if (known < listed || found != expected)
      drift.push_back(fmt::format("pod {}: {}, should be {}", task.full_name(), found, expected));
  }
  pods.each([&](const std::string& key, std::uint64_t known) {
    if (known <= fresh.version && !fresh.pods.contains(key))
      drift.push_back("pod " + key + ": does not exist");
  });
  std::ranges::sort(drift);
  return drift;
}

}  // namespace muster::serve
