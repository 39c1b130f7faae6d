// Priority classes, topologies, bind requests, config maps, and owners of pods.
#include "manifest/decoders.hpp"
#include "manifest/known_keys.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"

namespace muster {
namespace {

// Whether binding has finally failed: the number of attempts has reached the limit, or there is no limit.
bool has_failed(const Field& spec, const Field& status) {
  if (status["phase"].text() != "Failed") return false;
  const auto limit = spec["backoffLimit"].int32();
  return !limit || status["failedAttempts"].int32().value_or(0) >= *limit;
}

std::string owning_pod(const Field& owners) {
  std::string uid;
  owners.each_object([&](const Field& owner) {
    if (owner["kind"].text() == "Pod" && uid.empty()) uid = owner["uid"].text();
  });
  return uid;
}

}  // namespace

void decode(const Field& root, PriorityClassObject& priority) {
  read_meta(root, priority.meta);
  priority.value = root["value"].int32().value_or(0);
  priority.global_default = root["globalDefault"].boolean().value_or(false);
}

void decode(const Field& root, TopologyObject& topology) {
  read_meta(root, topology.meta);
  check_object(root);
  const Field spec = root.object("spec");
  check_members(spec, {"levels"});
  spec["levels"].each_object([&](const Field& level) {
    check_members(level, {"nodeLabel", "alias"});
    const Field label = level["nodeLabel"];
    if (label.text().empty()) label.fail("is missing");
    for (const TopologyLevel& above : topology.levels)
      if (above.label == label.text()) label.fail("repeats the label of an earlier level");
    topology.levels.push_back({label.string(), level["alias"].string()});
  });
}

void decode(const Field& root, BindRequestObject& request) {
  read_meta(root, request.meta, [&](const Field& other) {
    if (other.key() == "ownerReferences") request.pod_uid = owning_pod(other);
  });
  const Field spec = root.object("spec"), status = root.object("status");
  request.pod = spec["podName"].text();
  request.node = spec["selectedNode"].text();
  request.gpu_groups = spec["selectedGPUGroups"].strings();
  request.received_type = spec["receivedResourceType"].text();
  request.failed = has_failed(spec, status);
  spec["resourceClaimAllocations"].each_object([&](const Field& field) {
    request.claims.push_back({field["name"].string(), allocation_of(field.object("allocation"))});
  });
  request.zones = zone_records_of(spec["predictedNUMAZones"]);
}

void decode(const Field& root, OwnerObject& owner) {
  read_meta(root, owner.meta, [&](const Field& other) {
    if (other.key() == "ownerReferences") owner.owner = first_owner(other);
  });
  const Field metadata = root.object("metadata");
  check_keys(metadata, PlainKeys::kIgnored);
  owner.has_uid = metadata["uid"].is_present();
  owner.kind = root["kind"].text();
  for (const auto& [key, value] : owner.meta.labels)
    if (key == "kai.scheduler/preemptibility") owner.preemptibility = value;
}

void decode(const Field& root, ConfigMapObject& config_map) { read_meta(root, config_map.meta); }

}  // namespace muster
