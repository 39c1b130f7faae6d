// The zones of one node, and the choice of zones for a pod.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/device_objects.hpp"
#include "model/holding.hpp"

namespace muster::plugins {

// Requested amounts of one unit of alignment (a pod or a container), in the order of the node's kinds.
using ZoneRequest = std::vector<std::int64_t>;

// Requests that run side by side share what is free; each of the others has it for itself.
struct ZoneRequests {
  std::vector<ZoneRequest> side_by_side, one_by_one;
};

struct NodeZones {
  AlignmentPolicy policy = AlignmentPolicy::kNone;
  bool by_pod = false;
  std::vector<Kind> kinds;                                   // all kinds that some zone reports
  std::vector<std::vector<std::int64_t>> allocatable, free;  // by zone, then by kind

  std::size_t size() const { return free.size(); }
  // True for the policies that can reject a pod; best-effort is only scored.
  bool can_refuse() const {
    return policy == AlignmentPolicy::kRestricted || policy == AlignmentPolicy::kSingleZone;
  }
  bool is_scored() const { return policy != AlignmentPolicy::kNone; }
  std::optional<std::size_t> find(Kind kind) const;
  void take(std::span<const ZoneShare> shares, int sign);  // sign 1: subtracts from what is free

  // What each zone would give, or nothing if the requests cannot be aligned.
  std::optional<std::vector<ZoneShare>> align(const ZoneRequests& requests) const;
};

}  // namespace muster::plugins
