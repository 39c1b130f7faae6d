// The devices that each node can reach, as pools of slices, and which of them a request matches.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/cycle/session.hpp"
#include "plugins/devices/selectors.hpp"

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

// The devices that a node can reach and that meet all selectors of a request and its class.
struct MatchCount {
  enum class End : std::uint8_t {
    kCounted,
    kFailed,      // some selector has no answer
    kTooCostly,   // the selectors of the claim take too many steps: `steps` so far
    kUnfinished,  // the next cycle continues
  };
  End end = End::kCounted;
  std::int64_t matching = 0, steps = 0;
};

class DevicePools {
 public:
  explicit DevicePools(Session& session);
  // Returns the pools with devices that the node can reach, by driver and name. Built on the first call.
  const std::vector<DevicePool>& of(NodeId node);
  MatchCount count_matches(const Claim& claim, const DeviceRequest& request, NodeId node);
  // REQUIRES: the matches for the request have been counted on a node that can reach the device.
  bool matches(const DeviceRequest& request, const PooledDevice& device);
  // For a claim whose steps are not used up.
  std::int64_t steps_per_claim() const { return steps_per_claim_; }
  // That searches for devices for the claim have taken in this cycle.
  std::int64_t& steps_for(const Claim& claim) { return steps_[&claim]; }
  // Why there was no answer for the request.
  const std::string& failure(const DeviceRequest& request) { return selection_of(request).failure; }

 private:
  struct Selector {
    ResultsOfSelector* results = nullptr;
    bool is_of_class = false;
  };
  // What a request asks of devices: claims of one template ask for the same.
  struct Selection {
    bool has_class = false;
    std::vector<Selector> selectors;
    std::int64_t steps = 0;  // that its own selectors take on the devices seen so far
    std::string failure;
  };
  enum class Match : std::uint8_t { kUnknown, kNo, kYes, kFailed };

  Selection& selection_of(const DeviceRequest& request);
  Selection make_selection(const DeviceRequest& request);
  std::int64_t steps_of(const Claim& claim);
  Match evaluate(const Claim& claim, Selection& selection, const PooledDevice& device);
  std::vector<DevicePool> gather(NodeId node);
  std::vector<Taint> taints_of(const ResourceSliceObject& slice, const DeviceSpec& device) const;

  Session& session_;
  std::vector<const ResourceSliceObject*> slices_;                      // by driver, pool, name
  absl::flat_hash_map<std::string, std::vector<std::size_t>> of_node_;  // slices of one node
  std::vector<std::size_t> of_many_;                                    // slices that several nodes can reach
  absl::flat_hash_map<NodeId, std::vector<DevicePool>> pools_;
  SelectorEvaluator selectors_;
  std::int64_t steps_per_claim_ = kStepsPerClaim;
  absl::flat_hash_map<const DeviceRequest*, Selection*> selection_of_;
  absl::flat_hash_map<std::string, std::unique_ptr<Selection>> selections_;  // by class and selectors
  absl::flat_hash_map<const Claim*, std::vector<const Selection*>> selections_of_;
  absl::flat_hash_map<const Claim*, std::int64_t> steps_;
  absl::flat_hash_map<std::pair<const Selection*, GroupId>, Match> matches_;
  absl::flat_hash_map<std::pair<const Selection*, NodeId>, MatchCount> counts_;
};

// An attribute by its full name, "domain/id"; null where the device has none.
const DeviceAttribute* attribute_of(const PooledDevice& device, std::string_view full_name);

}  // namespace muster::plugins
