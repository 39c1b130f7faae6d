// Devices that pods claim (DRA): their objects, and which claims hold which devices now.
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

// Whether devices of this class or driver count as GPUs: its name contains "gpu" in any letter case.
bool is_gpu_name(std::string_view name);

// Devices chosen for a claim. Equal allocations are interned.
struct Allocation {
  AllocationObject object;
  std::vector<GroupId> devices;  // the devices in object.devices, in order
  std::vector<GroupId> gpus;     // those with a GPU driver
};

struct Claim {
  std::string ns, name;
  bool present = false;
  ResourceClaimObject object;
  std::int64_t gpus = 0;     // number of GPU-class devices it asks for
  AllocationId allocated;    // according to its object
  std::int32_t holders = 0;  // number of placed tasks that use this claim
  // Consumers that move() does not affect: unknown or terminating pods, or none at all.
  std::int32_t others = 0;
  AllocationId held;  // the allocation of the holders, the same for all

  // The devices that the next consumer gets; not valid if they are still to be chosen.
  AllocationId current() const { return holders > 0 ? held : others > 0 ? allocated : AllocationId(); }
};

class DeviceTable {
 public:
  // ---- Objects
  ClaimId mention_claim(std::string_view ns, std::string_view name);
  ClaimId apply(ResourceClaimObject&& object);
  // Adds a claim that is to be created, if there is none with that name.
  ClaimId imagine(std::string_view ns, std::string_view name, std::vector<DeviceRequest> requests);
  void forget_imagined(ClaimId claim);
  // Whether any consumer holds devices by the claim.
  bool is_used(std::string_view ns, std::string_view name) const;
  void apply(ResourceSliceObject&& object);
  void apply(NodeTopologyObject&& object);
  void remove_claim(std::string_view ns, std::string_view name);
  void remove_slice(std::string_view name) { slices_.erase(std::string(name)); }
  void remove_topology(std::string_view node) { topologies_.erase(std::string(node)); }
  // What the claim controller writes: the pod starts or stops using the claim.
  void reserve(ClaimId claim, const std::string& pod_uid, AllocationId allocation);
  void release(ClaimId claim, const std::string& pod_uid);

  const Claim& claim(ClaimId id) const { return claims_[id]; }
  const IdVector<ClaimId, Claim>& claims() const { return claims_; }
  const NodeTopologyObject* topology(std::string_view node) const;
  const std::map<std::string, NodeTopologyObject, std::less<>>& topologies() const { return topologies_; }
  // The slices of the newest generation of each pool, by name.
  std::vector<const ResourceSliceObject*> current_slices() const;

  // ---- Devices
  GroupId device(std::string_view driver, std::string_view pool, std::string_view name);
  AllocationId intern(AllocationObject object);
  const Allocation& allocation(AllocationId id) const { return allocations_[id]; }
  std::size_t allocations() const { return allocations_.size(); }
  // The number of known claims and allocations.
  std::size_t interned() const {
    return claims_.size() - free_claims_.size() + allocations_.size() - free_allocations_.size();
  }
  // Drops all claims that do not exist and are not marked, and all other allocations that no claim names.
  void keep_only(Marks<ClaimId> claims, Marks<AllocationId> allocations);
  // Whether some claim holds the device for its own use.
  bool in_use(GroupId device) const { return users_.contains(device) && users_[device] > 0; }

  // ---- Holders
  void hold(ClaimId claim, AllocationId allocation, int sign);
  // Consumers whose uid is not in the set keep their claims, whichever tasks move.
  void count_others(const absl::flat_hash_set<std::string>& active_pods);
  // Resets all holders except those consumers.
  void clear_holders();
  std::string fingerprint() const;

 private:
  void use(AllocationId allocation, int sign);

  std::uint64_t slice_versions_ = 0;  // used so far
  FreeIds<ClaimId> free_claims_;
  FreeIds<AllocationId> free_allocations_;
  IdVector<ClaimId, Claim> claims_;
  absl::flat_hash_map<std::string, ClaimId> claim_ids_;
  std::map<std::string, ResourceSliceObject> slices_;
  std::map<std::string, NodeTopologyObject, std::less<>> topologies_;
  // Number of claims that hold the device; claims with admin access do not count.
  IdVector<GroupId, std::int32_t> users_;
  absl::flat_hash_map<std::string, GroupId> device_ids_;
  IdVector<AllocationId, Allocation> allocations_;
  absl::flat_hash_map<std::string, AllocationId> allocation_ids_;
};

}  // namespace muster
