// What a source knows about devices: claims, slices and classes of DRA, the NUMA zones of nodes, and the bind
// requests that name both.
#pragma once

#include "model/object_parts.hpp"

namespace muster {

// ---------------------------------------------------------------- devices

struct DeviceAttribute {
  enum class Type : std::uint8_t { kInt, kBool, kText, kVersion };
  std::string name;  // "domain/id", or "id" in the driver's own domain
  Type type = Type::kText;
  std::int64_t number = 0;  // also a boolean, as 0 or 1
  std::string text;         // also a version
  bool operator==(const DeviceAttribute&) const = default;
};

struct DeviceCapacity {
  std::string name;
  std::int64_t thousandths = 0;
  bool operator==(const DeviceCapacity&) const = default;
};

// The nodes that can reach something: one by name, all, or those that match one of the terms.
struct NodeReach {
  std::string node;
  bool all = false;
  bool has_selector = false;
  std::vector<NodeTerm> selector;
};

struct DeviceSpec {
  std::string name;
  std::vector<DeviceAttribute> attributes;
  std::vector<DeviceCapacity> capacity;
  NodeReach reach;  // set only if the slice leaves this to its devices
  std::vector<Taint> taints;
};

struct ResourceSliceObject {
  static constexpr std::string_view kKind = "ResourceSlice";
  Meta meta;
  std::string driver, pool;
  std::int64_t generation = 0, slice_count = 1;  // of the pool
  NodeReach reach;
  bool reach_by_device = false;
  std::vector<DeviceSpec> devices;
  // Set by DeviceTable: equal numbers mean that device selectors see the same devices, in the same order.
  std::uint64_t version = 0;
};

struct DeviceClassObject {
  static constexpr std::string_view kKind = "DeviceClass";
  Meta meta;
  std::vector<std::string> selectors;  // CEL expressions that must all hold
  std::string extended_resource;       // lets pods get devices without a claim; "": only the implied one
};

// Taints devices from outside their driver.
struct DeviceTaintRuleObject {
  static constexpr std::string_view kKind = "DeviceTaintRule";
  Meta meta;
  bool selects = false;              // whether it applies to any device at all
  std::string driver, pool, device;  // "": any
  std::vector<Taint> taints;         // empty: its effect excludes no pod
};

struct DeviceRequest {
  std::string name;
  std::string device_class;
  std::vector<std::string> selectors;  // CEL expressions that must all hold
  bool all = false;                    // every matching device, instead of `count`
  std::int64_t count = 1;
  bool admin_access = false;            // may use devices that others hold
  std::vector<Toleration> tolerations;  // for taints of devices
  // The first alternative that can be satisfied is used; the other fields are then empty.
  std::vector<DeviceRequest> alternatives;
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // empty: all requests of the claim
  std::string match_attribute;
};

struct AllocatedDevice {
  std::string request, driver, pool, device;
  bool admin_access = false;
  bool operator==(const AllocatedDevice&) const = default;
};

struct AllocationObject {
  std::vector<AllocatedDevice> devices;
  bool has_selector = false;
  std::vector<NodeTerm> selector;  // nodes from which the devices can be reached
  bool operator==(const AllocationObject&) const = default;
};

struct ResourceClaimObject {
  static constexpr std::string_view kKind = "ResourceClaim";
  Meta meta;
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::optional<AllocationObject> allocation;
  std::vector<std::string> reserved_for;  // uids of pods
  bool of_extended_resource = false;      // created for a resource request of the pod's containers
  bool imagined = false;                  // not written yet; created when its pod is bound
};

// ---------------------------------------------------------------- bind requests

struct ClaimAllocation {
  std::string claim;  // name of the claim inside the pod
  AllocationObject allocation;
};

struct BindRequestObject {
  static constexpr std::string_view kKind = "BindRequest";
  Meta meta;
  std::string pod, node, pod_uid;  // pod_uid is from the owner reference, "" if there is none
  std::vector<std::string> gpu_groups;
  std::string received_type;
  bool failed = false;
  std::vector<ClaimAllocation> claims;
  std::vector<ZoneRecord> zones;
  std::vector<std::string> volumes;  // as in Holding; only for our own binds, the API has no such field
};

// ---------------------------------------------------------------- NUMA

enum class AlignmentPolicy : std::uint8_t { kNone, kBestEffort, kRestricted, kSingleZone };

struct NumaZoneSpec {
  std::string name;
  std::vector<NamedAmount> allocatable, available;
};

struct NodeTopologyObject {
  static constexpr std::string_view kKind = "NodeResourceTopology";
  Meta meta;
  AlignmentPolicy policy = AlignmentPolicy::kNone;
  bool by_pod = false;  // aligns the whole pod, not each container
  std::vector<NumaZoneSpec> zones;
};

}  // namespace muster
