// Decodes device claims, slices and classes of every API version since v1alpha3.
#include <limits>

#include "manifest/decoders.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"

namespace muster {
namespace {

NodeReach reach_of(const Field& holder) {
  NodeReach reach;
  reach.node = holder["nodeName"].text();
  reach.all = holder["allNodes"].boolean().value_or(false);
  const Field selector = holder.object("nodeSelector");
  reach.has_selector = selector.is_present();
  reach.selector = node_terms_of(selector["nodeSelectorTerms"]);
  return reach;
}

// ---------------------------------------------------------------- slices

void read_attribute(const Field& field, DeviceSpec& device) {
  DeviceAttribute attribute{.name = std::string(field.key())};
  using Type = DeviceAttribute::Type;
  if (const Field number = field["int"]; number.is_present()) {
    attribute.type = Type::kInt;
    attribute.number = number.int64().value_or(0);
  } else if (const Field truth = field["bool"]; truth.is_present()) {
    attribute.type = Type::kBool;
    attribute.number = truth.boolean().value_or(false);
  } else if (const Field version = field["version"]; version.is_present()) {
    attribute.type = Type::kVersion;
    attribute.text = version.text();
  } else if (const Field text = field["string"]; text.is_present()) {
    attribute.text = text.text();
  } else {
    return field.warn("has none of string, int, bool, version; ignored");
  }
  device.attributes.push_back(std::move(attribute));
}

// The field is {value: 40Gi}; before v1beta1 it was the quantity itself.
void read_capacity(const Field& field, DeviceSpec& device) {
  const Field value = field["value"];
  device.capacity.push_back({std::string(field.key()), value.is_present() ? value.milli() : field.milli()});
}

// Taints with other effects are informational and exclude no pod.
void read_taint(const Field& field, std::vector<Taint>& taints) {
  const std::string_view effect = field["effect"].text();
  if (effect == "NoSchedule" || effect == "NoExecute")
    taints.push_back({.key = field["key"].string(),
                      .value = field["value"].string(),
                      .effect = taint_effect_of(field["effect"])});
}

void read_device(const Field& field, ResourceSliceObject& slice) {
  DeviceSpec& device = slice.devices.emplace_back();
  const Field name = field["name"], basic = field.object("basic");  // API versions up to v1beta1
  device.name = name.text();
  if (device.name.empty()) name.fail("is missing");
  const Field& content = basic.is_present() ? basic : field;
  const Field attributes = content.object("attributes"), capacity = content.object("capacity");
  attributes.each_member([&](const Field& attribute) { read_attribute(attribute, device); });
  capacity.each_member([&](const Field& amount) { read_capacity(amount, device); });
  content["taints"].each_object([&](const Field& taint) { read_taint(taint, device.taints); });
  if (slice.reach_by_device) device.reach = reach_of(content);
}

// ---------------------------------------------------------------- claims

std::vector<std::string> selectors_of(const Field& list) {
  std::vector<std::string> expressions;
  list.each_object([&](const Field& selector) {
    const Field cel = selector.object("cel");
    const Field expression = cel["expression"];
    if (expression.is_present())
      expressions.push_back(expression.string());
    else
      expression.fail("is missing; only CEL selectors are supported");
  });
  return expressions;
}

void read_request(const Field& field, DeviceRequest& request) {
  const Field device_class = field["deviceClassName"], mode = field["allocationMode"], count = field["count"];
  request.device_class = device_class.text();
  if (request.device_class.empty()) device_class.fail("is missing");
  request.selectors = selectors_of(field["selectors"]);
  request.admin_access = field["adminAccess"].boolean().value_or(false);
  field["tolerations"].each_object(
      [&](const Field& toleration) { request.tolerations.push_back(toleration_of(toleration)); });
  request.all = mode.text() == "All";
  if (!mode.text().empty() && !request.all && mode.text() != "ExactCount")
    mode.fail("must be ExactCount or All");
  if (!count.is_present()) return;
  request.count = count.int64().value_or(1);
  if (request.count < 1) count.fail("must be at least 1");
}

DeviceRequest request_of(const Field& field) {
  DeviceRequest request;
  request.name = field["name"].text();
  const Field exactly = field.object("exactly"), alternatives = field["firstAvailable"];
  if (alternatives.is_present())
    alternatives.each_object([&](const Field& alternative) {
      DeviceRequest& added = request.alternatives.emplace_back();
      added.name = alternative["name"].text();
      read_request(alternative, added);
    });
  else
    read_request(exactly.is_present() ? exactly : field, request);  // up to v1beta1 there was no "exactly"
  return request;
}

DeviceConstraint constraint_of(const Field& field) {
  const Field attribute = field["matchAttribute"];
  if (!attribute.is_present()) attribute.fail("is missing; only matchAttribute constraints are supported");
  return {field["requests"].strings(), attribute.string()};
}

void add_consumer(const Field& consumer, std::vector<std::string>& uids) {
  if (consumer["resource"].text() != "pods") return;
  const Field uid = consumer["uid"];
  uids.push_back(uid.is_present() ? uid.string() : consumer["name"].string());
}

}  // namespace

AllocationObject allocation_of(const Field& field) {
  AllocationObject allocation;
  const Field devices = field.object("devices"), selector = field.object("nodeSelector");
  devices["results"].each_object([&](const Field& result) {
    allocation.devices.push_back({result["request"].string(), result["driver"].string(),
                                  result["pool"].string(), result["device"].string(),
                                  result["adminAccess"].boolean().value_or(false)});
  });
  allocation.has_selector = selector.is_present();
  allocation.selector = node_terms_of(selector["nodeSelectorTerms"]);
  return allocation;
}

void decode(const Field& root, ResourceClaimObject& claim) {
  read_meta(root, claim.meta, [&](const Field& other) {
    if (other.key() == "annotations")
      claim.of_extended_resource = other["resource.kubernetes.io/extended-resource-claim"].text() == "true";
  });
  const Field spec = root.object("spec"), status = root.object("status");
  const Field devices = spec.object("devices"), allocation = status.object("allocation");
  devices["requests"].each_object([&](const Field& field) { claim.requests.push_back(request_of(field)); });
  devices["constraints"].each_object(
      [&](const Field& field) { claim.constraints.push_back(constraint_of(field)); });
  if (allocation.is_present()) claim.allocation = allocation_of(allocation);
  status["reservedFor"].each_object(
      [&](const Field& consumer) { add_consumer(consumer, claim.reserved_for); });
}

void decode(const Field& root, ResourceSliceObject& slice) {
  read_meta(root, slice.meta);
  const Field spec = root.object("spec");
  const Field driver = spec["driver"], pool = spec.object("pool");
  slice.driver = driver.text();
  if (slice.driver.empty()) driver.fail("is missing");
  slice.pool = pool["name"].text();
  slice.generation = pool["generation"].int64().value_or(0);
  slice.slice_count = pool["resourceSliceCount"].int64().value_or(1);
  slice.reach = reach_of(spec);
  slice.reach_by_device = spec["perDeviceNodeSelection"].boolean().value_or(false);
  spec["devices"].each_object([&](const Field& device) { read_device(device, slice); });
}

void decode(const Field& root, DeviceClassObject& device_class) {
  read_meta(root, device_class.meta);
  const Field spec = root.object("spec");
  device_class.selectors = selectors_of(spec["selectors"]);
  device_class.extended_resource = spec["extendedResourceName"].text();
}

void decode(const Field& root, DeviceTaintRuleObject& rule) {
  read_meta(root, rule.meta);
  const Field spec = root.object("spec");
  const Field selector = spec.object("deviceSelector"), taint = spec.object("taint");
  rule.selects = selector.is_present();
  rule.driver = selector["driver"].text();
  rule.pool = selector["pool"].text();
  rule.device = selector["device"].text();
  for (const char* key : {"deviceClassName", "selectors"}) {  // API up to Kubernetes 1.34
    const Field old = selector[key];
    if (!old.is_present()) continue;
    old.warn("is not supported; the rule is ignored");
    rule.selects = false;
  }
  if (taint.is_present()) read_taint(taint, rule.taints);
}

}  // namespace muster
