// Kubernetes manifests to objects of the model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "document/document.hpp"
#include "model/device_objects.hpp"
#include "model/objects.hpp"
#include "util/result.hpp"

namespace muster {

// Where decoded objects go: a cluster, a counter, a test. Called in the order of the files.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  virtual void pod(PodObject&&) = 0;
  virtual void node(NodeObject&&) = 0;
  virtual void queue(QueueObject&&) = 0;
  virtual void pod_group(PodGroupObject&&) = 0;
  virtual void priority_class(PriorityClassObject&&) = 0;
  virtual void topology(TopologyObject&&) = 0;
  virtual void bind_request(BindRequestObject&&) = 0;
  virtual void config_map(ConfigMapObject&&) = 0;
  virtual void volume_claim(VolumeClaimObject&&) {}
  virtual void volume(VolumeObject&&) {}
  virtual void storage_class(StorageClassObject&&) {}
  virtual void storage_capacity(StorageCapacityObject&&) {}
  virtual void csi_driver(CsiDriverObject&&) {}
  virtual void resource_claim(ResourceClaimObject&&) {}
  virtual void resource_slice(ResourceSliceObject&&) {}
  virtual void device_class(DeviceClassObject&&) {}
  virtual void node_topology(NodeTopologyObject&&) {}
  virtual void owner(OwnerObject&&) {}  // of any other kind, where it says something about pods
};

// What reading had to say. Warnings cost an object its bad field; errors are objects or text that could not
// be used.
struct Findings {
  std::vector<Error> errors, warnings;
  std::map<std::string, std::int64_t> unknown_kinds;  // "apps/v1 Deployment" → how many
  std::map<std::string, std::int64_t> known_kinds;    // "Pod" → how many
};

struct DecodeOptions {
  TimePoint now{};  // creation time of objects that have none
};

// Decodes one document of any known kind into the sink. Never throws.
void decode_object(const Document& document, const DecodeOptions& options, ObjectSink& sink,
                   Findings& findings);

// Reads files and directories.
Findings read_manifests(const std::vector<std::string>& paths, const DecodeOptions& options,
                        ObjectSink& sink);

}  // namespace muster
