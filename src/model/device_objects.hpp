// What a source knows of devices: claims, slices and classes of DRA, the NUMA zones of nodes, and the bind
// requests that name both.
#pragma once

#include "model/object_parts.hpp"

namespace muster {

// ---------------------------------------------------------------- devices

struct DeviceAttribute {
  enum class Type : std::uint8_t { kInt, kBool, kText, kVersion };
  std::string name;  // "domain/id", or "id" in the driver's own domain
  Type type = Type::kText;
  std::int64_t number = 0;  // also 0 and 1 of a truth value
  std::string text;         // also the version
};

struct DeviceCapacity {
  std::string name;
  std::int64_t thousandths = 0;
};

// Which nodes can reach something: one by name, all, or those that some term matches.
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
  NodeReach reach;  // only where the slice leaves it to its devices
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
};

struct DeviceClassObject {
  static constexpr std::string_view kKind = "DeviceClass";
  Meta meta;
  std::vector<std::string> selectors;  // CEL; all must hold
  std::string extended_resource;  // that pods may ask for instead of claiming; "": none but the implied one
};

// Puts a taint on devices from outside of their driver.
struct DeviceTaintRuleObject {
  static constexpr std::string_view kKind = "DeviceTaintRule";
  Meta meta;
  bool selects = false;              // some devices at all
  std::string driver, pool, device;  // "": any
  std::vector<Taint> taints;         // none: its effect keeps nobody away
};

struct DeviceRequest {
  std::string name;
  std::string device_class;
  std::vector<std::string> selectors;  // CEL; all must hold
  bool all = false;                    // every device that matches, instead of `count`
  std::int64_t count = 1;
  bool admin_access = false;                // looks at devices that others may hold
  std::vector<Toleration> tolerations;      // of the taints of devices
  std::vector<DeviceRequest> alternatives;  // the first that can be had; the request's own fields are empty
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // none: all of the claim
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
  bool of_extended_resource = false;      // made for a request that the pod's containers state themselves
  bool imagined = false;                  // it is to be written with the bind of its pod
};

// ---------------------------------------------------------------- decisions on their way

struct ClaimAllocation {
  std::string claim;  // its name inside the pod
  AllocationObject allocation;
};

struct BindRequestObject {
  static constexpr std::string_view kKind = "BindRequest";
  Meta meta;
  std::string pod, node, pod_uid;  // pod_uid from the owner reference, "" if there is none
  std::vector<std::string> gpu_groups;
  std::string received_type;
  bool failed = false;
  std::vector<ClaimAllocation> claims;
  std::vector<ZoneRecord> zones;
  std::vector<std::string> volumes;  // as Holding has them; of binds of our own, the API has no such field
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
  bool by_pod = false;  // the pod is aligned as a whole, not each container
  std::vector<NumaZoneSpec> zones;
};

}  // namespace muster
