// Decodes volumes, their claims and classes.
#include "manifest/decoders.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"

namespace muster {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

void add_pod_owners(const Field& owners, std::vector<std::string>& uids) {
  owners.each_object([&](const Field& owner) {
    if (owner["kind"].text() == "Pod") uids.push_back(owner["uid"].string());
  });
}

void read_claim_meta(const Field& root, VolumeClaimObject& claim) {
  read_meta(root, claim.meta, [&](const Field& other) {
    if (other.key() == "ownerReferences")
      add_pod_owners(other, claim.owner_pod_uids);
    else if (other.key() == "annotations")
      claim.selected_node = other[kSelectedNode].text();
    else if (other.key() == "deletionTimestamp")
      claim.is_going = other.time().has_value();
  });
}

// Reads one of the allowedTopologies of a storage class: values by label.
NodeTerm topology_term_of(const Field& term) {
  NodeTerm result;
  term["matchLabelExpressions"].each_object([&](const Field& expression) {
    result.labels.push_back({expression["key"].string(), Operator::kIn, expression["values"].strings()});
  });
  return result;
}

std::int64_t storage_of(const Field& list) { return list["storage"].whole(); }

}  // namespace

void decode(const Field& root, VolumeClaimObject& claim) {
  read_claim_meta(root, claim);
  const Field spec = root.object("spec"), status = root.object("status");
  if (const Field name = spec["storageClassName"]; name.is_present()) claim.storage_class = name.text();
  claim.volume = spec["volumeName"].text();
  claim.bound = status["phase"].text() == "Bound";
  const Field resources = spec.object("resources");
  claim.bytes = storage_of(resources.object("requests"));
  claim.access_modes = spec["accessModes"].strings();
  claim.selector = label_selector_of(spec.object("selector"));
  claim.volume_mode = spec["volumeMode"].text();
}

void decode(const Field& root, VolumeObject& volume) {
  bool is_going = false;
  read_meta(root, volume.meta, [&](const Field& other) {
    if (other.key() == "deletionTimestamp") is_going = other.time().has_value();
  });
  const Field spec = root.object("spec"), status = root.object("status");
  volume.storage_class = spec["storageClassName"].text();
  const Field claim = spec.object("claimRef");
  volume.claim_ns = claim["namespace"].text();
  volume.claim_name = claim["name"].text();
  volume.claim_uid = claim["uid"].text();
  volume.phase = is_going ? "Terminating" : status["phase"].text();  // shown by kubectl in this way
  volume.volume_mode = spec["volumeMode"].text();
  volume.bytes = storage_of(spec.object("capacity"));
  volume.access_modes = spec["accessModes"].strings();
  const Field affinity = spec.object("nodeAffinity");
  const Field required = affinity.object("required");
  volume.has_node_affinity = required.is_present();
  volume.node_affinity = node_terms_of(required["nodeSelectorTerms"]);
  const Field csi = spec.object("csi");
  volume.csi_driver = csi["driver"].text();
  volume.csi_handle = csi["volumeHandle"].text();
}

void decode(const Field& root, StorageClassObject& storage_class) {
  read_meta(root, storage_class.meta);
  storage_class.provisioner = root["provisioner"].text();
  storage_class.wait_for_first_consumer = root["volumeBindingMode"].text() == "WaitForFirstConsumer";
  root["allowedTopologies"].each_object(
      [&](const Field& term) { storage_class.allowed_topologies.push_back(topology_term_of(term)); });
}

void decode(const Field& root, StorageCapacityObject& capacity) {
  read_meta(root, capacity.meta);
  capacity.storage_class = root["storageClassName"].text();
  capacity.node_topology = label_selector_of(root.object("nodeTopology"));
  capacity.capacity = root["capacity"].whole();
  if (const Field largest = root["maximumVolumeSize"]; largest.is_present())
    capacity.largest_volume = largest.whole();
}

void decode(const Field& root, CsiDriverObject& driver) {
  read_meta(root, driver.meta);
  const Field spec = root.object("spec");
  driver.storage_capacity = spec["storageCapacity"].boolean().value_or(false);
}

void decode(const Field& root, CsiNodeObject& node) {
  read_meta(root, node.meta);
  const Field spec = root.object("spec");
  spec["drivers"].each_object([&](const Field& driver) {
    const Field allocatable = driver.object("allocatable");
    if (const Field count = allocatable["count"]; count.is_present())
      node.drivers.push_back({driver["name"].string(), count.int64().value_or(0)});
  });
}

}  // namespace muster
