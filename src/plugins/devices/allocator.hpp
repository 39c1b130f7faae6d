// Chooses devices of a node for claims: the first choice, in the order of claims, requests, pools and
// devices, that meets every request and constraint.
#pragma once

#include <span>
#include <vector>

#include "plugins/devices/dynamic_resources.hpp"
#include "plugins/devices/pools.hpp"

namespace muster::plugins {

struct DeviceChoice {
  std::vector<AllocationObject> allocations;  // of the claims, in order
  std::optional<NodeRefusal> refusal;         // if nothing was chosen: names the claim
};

DeviceChoice choose_devices(Session& session, DevicePools& pools, const DeviceRules& rules, NodeId node,
                            std::span<const Claim* const> claims);

}  // namespace muster::plugins
