// The devices that each node can reach, as pools of slices, and which of them a request matches.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "cel/expression.hpp"
#include "engine/cycle/session.hpp"

namespace muster::plugins {

struct PooledDevice {
  const ResourceSliceObject* slice = nullptr;
  const DeviceSpec* spec = nullptr;
  GroupId id;
  std::vector<Taint> taints;  // of the driver, and of rules
};

struct DevicePool {
  std::vector<PooledDevice> devices;  // in the order of slice names
  bool is_complete = true;            // all slices of it are known
};

class DevicePools {
 public:
  explicit DevicePools(Session& session);
  // The pools with devices that the node can reach, by driver and name. Put together when first asked for.
  const std::vector<DevicePool>& of(NodeId node);
  // Does the device meet all selectors of the request and its class? Nothing: some selector has no answer.
  std::optional<bool> matches(const DeviceRequest& request, const PooledDevice& device);
  // How many of those that the node can reach; nothing as above.
  std::optional<std::int64_t> count_matches(const DeviceRequest& request, NodeId node);
  // That searches for devices for the claim have taken in this cycle.
  std::int64_t& steps_for(const Claim& claim) { return steps_[&claim]; }
  // Why there was no answer for the request.
  const std::string& failure(const DeviceRequest& request) { return failures_[selection_of(request)]; }

 private:
  using Selector = Result<cel::Expression>;  // an error: it is not in the language
  const Selector& selector(const std::string& text);
  // A number for what a request asks of devices: claims of one template ask for the same.
  using Selection = std::uint32_t;
  Selection selection_of(const DeviceRequest& request);
  std::optional<bool> meets(const std::vector<std::string>& selectors, const PooledDevice& device,
                            std::string& failure);
  std::vector<DevicePool> gather(NodeId node);
  std::vector<Taint> taints_of(const ResourceSliceObject& slice, const DeviceSpec& device) const;

  Session& session_;
  std::vector<const ResourceSliceObject*> slices_;                      // by driver, pool, name
  absl::flat_hash_map<std::string, std::vector<std::size_t>> of_node_;  // slices of one node
  std::vector<std::size_t> of_many_;                                    // slices that several can reach
  absl::flat_hash_map<NodeId, std::vector<DevicePool>> pools_;
  absl::flat_hash_map<std::string, Selector> selectors_;
  absl::flat_hash_map<const DeviceRequest*, Selection> selection_of_;
  absl::flat_hash_map<std::string, Selection> selections_;  // by class and selectors
  absl::flat_hash_map<Selection, std::string> failures_;
  absl::flat_hash_map<const Claim*, std::int64_t> steps_;
  absl::flat_hash_map<std::pair<Selection, GroupId>, std::optional<bool>> matches_;
  absl::flat_hash_map<std::pair<Selection, NodeId>, std::optional<std::int64_t>> counts_;
};

// An attribute by its full name, "domain/id"; null where the device has none.
const DeviceAttribute* attribute_of(const PooledDevice& device, std::string_view full_name);

}  // namespace muster::plugins
