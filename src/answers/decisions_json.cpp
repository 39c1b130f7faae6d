// The decisions of a cycle as JSON: one function per part, named after its field.
#include <nlohmann/json.hpp>

#include "answers/json.hpp"

namespace muster::answers {
namespace {

using nlohmann::ordered_json;

// Adds the devices of claims and the NUMA zones, if there are any.
void add_devices(const Cluster& c, HoldingId held, ordered_json& json) {
  const Holding& holding = c.holding(held);
  for (AllocationId a : holding.claims) {
    if (!a.valid()) continue;
    for (const AllocatedDevice& d : c.devices().allocation(a).object.devices)
      json["devices"].push_back(d.driver + "/" + d.pool + "/" + d.device);
  }
  for (std::size_t i = 0; i < holding.zones.size(); ++i)
    if (i == 0 || holding.zones[i].zone != holding.zones[i - 1].zone)
      json["numaZones"].push_back(holding.zones[i].zone);
}

ordered_json binds_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const BindDecision& b : d.binds) {
    list.push_back({{"pod", c.task(b.task).full_name()},
                    {"node", c.node(b.node).name},
                    {"gpuGroups", group_names(c, b.holding)}});
    add_devices(c, b.holding, list.back());
  }
  return list;
}

ordered_json queue_json(const Cluster& c, const QueueSnapshot& queue) {
  return {{"name", c.queue(queue.queue).name},
          {"held", shares_json(queue.held)},
          {"fairShare", shares_json(queue.fair_share)},
          {"quota", shares_json(queue.quota)}};
}

ordered_json evictions_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const EvictDecision& e : d.evictions) {
    ordered_json item{{"pod", c.task(e.task).full_name()},
                      {"action", e.action},
                      {"reason", e.rule.empty() ? e.action : e.rule}};
    if (e.preemptor.valid()) item["for"] = c.job(e.preemptor).full_name();
    if (e.victim_queue.queue.valid()) item["queue"] = queue_json(c, e.victim_queue);
    if (e.preemptor_queue.queue.valid()) item["forQueue"] = queue_json(c, e.preemptor_queue);
    if (e.runtime_lost) item["runtimeLostSeconds"] = std::chrono::duration<double>(*e.runtime_lost).count();
    list.push_back(std::move(item));
  }
  return list;
}

ordered_json pipelined_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const PipelineDecision& p : d.pipelined) {
    list.push_back({{"pod", c.task(p.task).full_name()}, {"node", c.node(p.node).name}});
    add_devices(c, p.holding, list.back());
  }
  return list;
}

ordered_json patches_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const PatchDecision& p : d.patches) {
    ordered_json annotations = ordered_json::object();
    for (const auto& [key, value] : p.annotations)
      annotations[key] = value ? ordered_json(*value) : ordered_json();
    list.push_back({{"podGroup", c.job(p.job).full_name()}, {"annotations", std::move(annotations)}});
  }
  return list;
}

}  // namespace

ordered_json group_names(const Cluster& c, HoldingId holding) {
  ordered_json names = ordered_json::array();
  for (GroupId g : c.groups(holding)) names.push_back(c.group_name(g));
  return names;
}

ordered_json decisions_json(const Cluster& c, const Decisions& d) {
  return {{"binds", binds_json(c, d)},
          {"evictions", evictions_json(c, d)},
          {"pipelined", pipelined_json(c, d)},
          {"patches", patches_json(c, d)}};
}

}  // namespace muster::answers
