// Decodes nodes: their resources, taints and conditions.
#include <fmt/format.h>

#include "manifest/amounts.hpp"
#include "manifest/decoders.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"

namespace muster {
namespace {

Taint taint_of(const Field& field) {
  Taint taint;
  taint.key = field["key"].text();
  taint.value = field["value"].text();
  const Field effect = field["effect"];
  taint.effect = taint_effect_of(effect);
  if (taint.effect == TaintEffect::kAny) effect.fail("is missing");
  return taint;
}

void read_spec(const Field& spec, NodeObject& node) {
  spec.each_member([&](const Field& member) {
    if (member.key() == "taints")
      member.each_object([&](const Field& taint) { node.taints.push_back(taint_of(taint)); });
    else if (member.key() == "unschedulable")
      node.conditions.unschedulable = member.boolean().value_or(false);
  });
}

void read_condition(const Field& condition, NodeObject& node) {
  const std::string_view type = condition["type"].text(), status = condition["status"].text();
  if (type == "Ready")
    node.conditions.not_ready = status != "True";
  else if (type == "MemoryPressure")
    node.conditions.memory_pressure = status != "False";
  else if (type == "DiskPressure")
    node.conditions.disk_pressure = status != "False";
  else if (type == "PIDPressure")
    node.conditions.pid_pressure = status != "False";
  else if (type == "NetworkUnavailable")
    node.conditions.network_unavailable = status != "False";
}

// As in the API, a node without allocatable amounts offers its whole capacity.
void read_allocatable(const Field& status, NodeObject& node) {
  const Field allocatable = status["allocatable"];
  add_resource_list(allocatable.is_present() ? allocatable : status["capacity"], node.allocatable);
  tidy(node.allocatable);
}

}  // namespace

void decode(const Field& root, NodeObject& node) {
  read_meta(root, node.meta);
  read_spec(root["spec"], node);
  const Field status = root.object("status");
  read_allocatable(status, node);
  status["conditions"].each_object([&](const Field& condition) { read_condition(condition, node); });
}

}  // namespace muster
