// Devices that pods claim (DRA): what the objects say, and which claims hold which devices now.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_objects.hpp"
#include "model/free_ids.hpp"
#include "model/holding.hpp"
#include "model/ids.hpp"

namespace muster {

// A class or driver whose devices are counted as GPUs: its name contains "gpu" in any case.
bool is_gpu_name(std::string_view name);

// Devices chosen for a claim. Equal choices exist once.
struct Allocation {
  AllocationObject object;
  std::vector<GroupId> devices;  // of object.devices, in order
  std::vector<GroupId> gpus;     // those whose driver is one of GPUs
};

struct Claim {
  std::string ns, name;
  bool present = false;
  ResourceClaimObject object;
  std::int64_t gpus = 0;     // devices of GPU classes that it asks for
  AllocationId allocated;    // as its object says
  std::int32_t holders = 0;  // tasks that hold a place and this claim
  std::int32_t others = 0;   // consumers that no move changes: unknown pods, terminating ones, nobody at all
  AllocationId held;         // by the holders; all of them hold the same

  // The devices that whoever joins now gets; not valid: they are still to be chosen.
  AllocationId current() const { return holders > 0 ? held : others > 0 ? allocated : AllocationId(); }
};

class DeviceTable {
 public:
  // ---- objects
  ClaimId mention_claim(std::string_view ns, std::string_view name);
  ClaimId apply(ResourceClaimObject&& object);
  // A claim that is to be written, where there is none of that name.
  ClaimId imagine(std::string_view ns, std::string_view name, std::vector<DeviceRequest> requests);
  void forget_imagined(ClaimId claim);
  // Somebody holds devices by the claim.
  bool is_used(std::string_view ns, std::string_view name) const;
  void apply(ResourceSliceObject&& object);
  void apply(NodeTopologyObject&& object);
  void remove_claim(std::string_view ns, std::string_view name);
  void remove_slice(std::string_view name) { slices_.erase(std::string(name)); }
  void remove_topology(std::string_view node) { topologies_.erase(std::string(node)); }
  // What the controller of claims writes: the pod begins or ends to use it.
  void reserve(ClaimId claim, const std::string& pod_uid, AllocationId allocation);
  void release(ClaimId claim, const std::string& pod_uid);

  const Claim& claim(ClaimId id) const { return claims_[id]; }
  const IdVector<ClaimId, Claim>& claims() const { return claims_; }
  const NodeTopologyObject* topology(std::string_view node) const;
  const std::map<std::string, NodeTopologyObject, std::less<>>& topologies() const { return topologies_; }
  // The slices of each pool's newest generation, in name order.
  std::vector<const ResourceSliceObject*> current_slices() const;

  // ---- devices
  GroupId device(std::string_view driver, std::string_view pool, std::string_view name);
  AllocationId intern(AllocationObject object);
  const Allocation& allocation(AllocationId id) const { return allocations_[id]; }
  std::size_t allocations() const { return allocations_.size(); }
  // Claims and allocations that are known.
  std::size_t interned() const {
    return claims_.size() - free_claims_.size() + allocations_.size() - free_allocations_.size();
  }
  // Forgets claims that are not there and not used, and all other allocations that no claim names.
  void keep_only(Marks<ClaimId> claims, Marks<AllocationId> allocations);
  // Some claim holds the device for its own use.
  bool in_use(GroupId device) const { return users_.contains(device) && users_[device] > 0; }

  // ---- who holds what
  void hold(ClaimId claim, AllocationId allocation, int sign);
  // The consumers that are not among the uids hold their claims whatever is moved.
  void count_others(const absl::flat_hash_set<std::string>& active_pods);
  // Starts over: but for those others, nobody holds anything.
  void clear_holders();
  std::string fingerprint() const;

 private:
  void use(AllocationId allocation, int sign);

  FreeIds<ClaimId> free_claims_;
  FreeIds<AllocationId> free_allocations_;
  IdVector<ClaimId, Claim> claims_;
  absl::flat_hash_map<std::string, ClaimId> claim_ids_;
  std::map<std::string, ResourceSliceObject> slices_;
  std::map<std::string, NodeTopologyObject, std::less<>> topologies_;
  IdVector<GroupId, std::int32_t> users_;  // claims that hold the device; those that only watch do not count
  absl::flat_hash_map<std::string, GroupId> device_ids_;
  IdVector<AllocationId, Allocation> allocations_;
  absl::flat_hash_map<std::string, AllocationId> allocation_ids_;
};

}  // namespace muster
