// For tests: manifests as text in, the decoded objects and findings out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.hpp"

namespace muster {

struct Collected final : ObjectSink {
  void pod(PodObject&& o) override { pods.push_back(std::move(o)); }
  void node(NodeObject&& o) override { nodes.push_back(std::move(o)); }
  void queue(QueueObject&& o) override { queues.push_back(std::move(o)); }
  void pod_group(PodGroupObject&& o) override { pod_groups.push_back(std::move(o)); }
  void priority_class(PriorityClassObject&& o) override { priority_classes.push_back(std::move(o)); }
  void topology(TopologyObject&& o) override { topologies.push_back(std::move(o)); }
  void bind_request(BindRequestObject&& o) override { bind_requests.push_back(std::move(o)); }
  void config_map(ConfigMapObject&& o) override { config_maps.push_back(std::move(o)); }
  void volume_claim(VolumeClaimObject&& o) override { volume_claims.push_back(std::move(o)); }
  void volume(VolumeObject&& o) override { volumes.push_back(std::move(o)); }
  void storage_class(StorageClassObject&& o) override { storage_classes.push_back(std::move(o)); }
  void storage_capacity(StorageCapacityObject&& o) override { storage_capacities.push_back(std::move(o)); }
  void csi_driver(CsiDriverObject&& o) override { csi_drivers.push_back(std::move(o)); }
  void resource_claim(ResourceClaimObject&& o) override { resource_claims.push_back(std::move(o)); }
  void resource_slice(ResourceSliceObject&& o) override { resource_slices.push_back(std::move(o)); }
  void device_class(DeviceClassObject&& o) override { device_classes.push_back(std::move(o)); }
  void node_topology(NodeTopologyObject&& o) override { node_topologies.push_back(std::move(o)); }
  void owner(OwnerObject&& o) override { owners.push_back(std::move(o)); }

  // One finding per line, errors first: "E f.yaml:3: Pod default/a: spec: …".
  std::string findings_text() const {
    std::string text;
    for (const Error& error : findings.errors) text += "E " + error.text() + '\n';
    for (const Error& warning : findings.warnings) text += "W " + warning.text() + '\n';
    return text;
  }

  std::vector<PodObject> pods;
  std::vector<NodeObject> nodes;
  std::vector<QueueObject> queues;
  std::vector<PodGroupObject> pod_groups;
  std::vector<PriorityClassObject> priority_classes;
  std::vector<TopologyObject> topologies;
  std::vector<BindRequestObject> bind_requests;
  std::vector<ConfigMapObject> config_maps;
  std::vector<VolumeClaimObject> volume_claims;
  std::vector<VolumeObject> volumes;
  std::vector<StorageClassObject> storage_classes;
  std::vector<StorageCapacityObject> storage_capacities;
  std::vector<CsiDriverObject> csi_drivers;
  std::vector<ResourceClaimObject> resource_claims;
  std::vector<ResourceSliceObject> resource_slices;
  std::vector<DeviceClassObject> device_classes;
  std::vector<NodeTopologyObject> node_topologies;
  std::vector<OwnerObject> owners;
  Findings findings;
};

inline const TimePoint kTestNow = *parse_time("2025-06-01T12:00:00Z");

inline Collected decoded(std::string_view text, const std::string& name = "f.yaml") {
  Collected collected;
  const DecodeOptions options{.now = kTestNow};
  read_documents_in(
      name, text,
      [&](const Document& document) { decode_object(document, options, collected, collected.findings); },
      [&](const Error& error) { collected.findings.errors.push_back(error); });
  return collected;
}

// "cpu 1000, memory 5"
inline std::string text_of(const std::vector<NamedAmount>& amounts) {
  std::string text;
  for (const auto& [name, units] : amounts)
    text += (text.empty() ? "" : ", ") + name + ' ' + std::to_string(units);
  return text;
}

}  // namespace muster
