// One decoder per kind. A decoder fills the object from the root of its document and reports mistakes.
#pragma once

#include "manifest/field.hpp"

namespace muster {

void decode(const Field& root, PodObject& pod);
void decode(const Field& root, NodeObject& node);
void decode(const Field& root, QueueObject& queue);
void decode(const Field& root, PodGroupObject& group);
void decode(const Field& root, PriorityClassObject& priority);
void decode(const Field& root, TopologyObject& topology);
void decode(const Field& root, BindRequestObject& request);
void decode(const Field& root, ConfigMapObject& config_map);
void decode(const Field& root, VolumeClaimObject& claim);
void decode(const Field& root, VolumeObject& volume);
void decode(const Field& root, StorageClassObject& storage_class);
void decode(const Field& root, StorageCapacityObject& capacity);
void decode(const Field& root, CsiDriverObject& driver);
void decode(const Field& root, CsiNodeObject& node);
void decode(const Field& root, ResourceClaimObject& claim);
void decode(const Field& root, ResourceSliceObject& slice);
void decode(const Field& root, DeviceClassObject& device_class);
void decode(const Field& root, DeviceTaintRuleObject& rule);
void decode(const Field& root, NodeTopologyObject& topology);
void decode(const Field& root, RuntimeClassObject& runtime_class);
void decode(const Field& root, LimitRangeObject& range);
void decode(const Field& root, OwnerObject& owner);

}  // namespace muster
