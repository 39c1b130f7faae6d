// What a task holds on its node besides amounts: shared GPUs, the devices of its claims, parts of NUMA zones,
// and volumes that existed before it came.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/free_ids.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"

namespace muster {

struct ZoneShare {
  std::uint32_t zone = 0;  // index in the zones of the node topology
  Kind kind;
  std::int64_t units = 0;
  bool operator==(const ZoneShare&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const ZoneShare& z) {
    return H::combine(std::move(h), z.zone, z.kind, z.units);
  }
};

struct Holding {
  std::vector<GroupId> groups;
  std::vector<AllocationId> claims;  // one for each claim of the shape, in order; empty if unknown
  std::vector<ZoneShare> zones;
  // PersistentVolumes, one for each volume claim of the shape, in order; "" if the claim has a volume already
  // or gets a new one. Empty if that holds for every claim.
  std::vector<std::string> volumes;

  bool empty() const { return groups.empty() && claims.empty() && zones.empty() && volumes.empty(); }
  bool operator==(const Holding&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Holding& held) {
    return H::combine(std::move(h), held.groups, held.claims, held.zones, held.volumes);
  }
};

// Interns holdings.
class HoldingTable {
 public:
  // Not valid if nothing is held.
  HoldingId intern(Holding holding) {
    if (holding.empty()) return {};
    const auto [found, is_new] = ids_.try_emplace(holding);
    if (is_new) {
      found->second = free_.take(holdings_);
      holdings_[found->second] = std::move(holding);
    }
    return found->second;
  }
  const IdVector<HoldingId, Holding>& all() const { return holdings_; }
  std::size_t size() const { return holdings_.size(); }
  std::size_t count() const { return holdings_.size() - free_.size(); }
  // Drops all other holdings.
  void keep_only(const Marks<HoldingId>& used) { free_.sweep(ids_, holdings_, used); }
  const Holding& operator[](HoldingId id) const { return id.valid() ? holdings_[id] : kNothing; }

 private:
  static inline const Holding kNothing{};
  FreeIds<HoldingId> free_;
  IdVector<HoldingId, Holding> holdings_;
  absl::flat_hash_map<Holding, HoldingId> ids_;
};

}  // namespace muster
