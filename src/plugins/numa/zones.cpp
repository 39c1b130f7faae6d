// Chooses zones for a request as the kubelet's topology manager would, policy by policy.
#include "plugins/numa/zones.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace muster::plugins {
namespace {

using Amounts = std::vector<std::vector<std::int64_t>>;  // by zone and kind
using Zones = std::vector<std::size_t>;

bool together_hold(const Amounts& free, const Zones& zones, const ZoneRequest& request) {
  for (std::size_t k = 0; k < request.size(); ++k) {
    std::int64_t sum = 0;
    for (std::size_t z : zones) sum += free[z][k];
    if (request[k] > 0 && sum < request[k]) return false;
  }
  return true;
}

// Moves on to the next choice of the same number of zones in lexical order. Returns false after the last one.
bool advance(Zones& zones, std::size_t of) {
  for (std::size_t i = zones.size(); i-- > 0;) {
    if (zones[i] == of - zones.size() + i) continue;
    ++zones[i];
    for (std::size_t j = i + 1; j < zones.size(); ++j) zones[j] = zones[j - 1] + 1;
    return true;
  }
  return false;
}

// The first choice of `width` zones that holds the request.
std::optional<Zones> first_choice(const Amounts& free, std::size_t width, const ZoneRequest& request) {
  if (width > free.size()) return std::nullopt;
  Zones zones(width);
  for (std::size_t i = 0; i < width; ++i) zones[i] = i;
  do
    if (together_hold(free, zones, request)) return zones;
  while (advance(zones, free.size()));
  return std::nullopt;
}

// The fewest zones whose capacity could hold the requested amount of a kind.
std::optional<std::size_t> narrowest(const Amounts& allocatable, std::size_t kind, std::int64_t requested) {
  std::vector<std::int64_t> largest;
  for (const auto& zone : allocatable) largest.push_back(zone[kind]);
  std::sort(largest.begin(), largest.end(), std::greater<>());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    sum += largest[i];
    if (sum >= requested) return i + 1;
  }
  return std::nullopt;
}

// Policy restricted: all kinds must prefer the same number of zones.
std::optional<Zones> restricted(const Amounts& allocatable, const Amounts& free, const ZoneRequest& request) {
  std::optional<std::size_t> width;
  for (std::size_t k = 0; k < request.size(); ++k) {
    if (request[k] <= 0) continue;
    const auto preferred = narrowest(allocatable, k, request[k]);
    if (!preferred || (width && *width != *preferred)) return std::nullopt;
    width = preferred;
  }
  return width ? first_choice(free, *width, request) : Zones();
}

// Policy best-effort: adds the zone that covers most of the missing amount until nothing is missing.
std::optional<Zones> best_effort(const Amounts& free, ZoneRequest missing) {
  Zones zones;
  const auto covers = [&](std::size_t z) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < missing.size(); ++k)
      if (missing[k] > 0) sum += std::min(missing[k], free[z][k]);
    return sum;
  };
  const auto is_short = [](std::int64_t amount) { return amount > 0; };
  while (std::any_of(missing.begin(), missing.end(), is_short)) {
    std::size_t best = 0;
    std::int64_t most = 0;
    for (std::size_t z = 0; z < free.size(); ++z)
      if (std::find(zones.begin(), zones.end(), z) == zones.end() && covers(z) > most)
        best = z, most = covers(z);
    if (most == 0) return std::nullopt;
    zones.push_back(best);
    for (std::size_t k = 0; k < missing.size(); ++k) missing[k] -= free[best][k];
  }
  return zones;
}

std::optional<Zones> choose(const NodeZones& node, const Amounts& free, const ZoneRequest& request) {
  switch (node.policy) {
    case AlignmentPolicy::kSingleZone:
      return first_choice(free, 1, request);
    case AlignmentPolicy::kRestricted:
      return restricted(node.allocatable, free, request);
    case AlignmentPolicy::kBestEffort:
      return best_effort(free, request);
    case AlignmentPolicy::kNone:
      break;
  }
  return Zones();
}

}  // namespace

std::optional<std::size_t> NodeZones::find(Kind kind) const {
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  if (found == kinds.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kinds.begin());
}

void NodeZones::take(std::span<const ZoneShare> shares, int sign) {
  for (const ZoneShare& share : shares)
    if (const auto kind = find(share.kind); kind && share.zone < size())
      free[share.zone][*kind] -= sign * share.units;
}

std::optional<std::vector<ZoneShare>> NodeZones::align(const ZoneRequests& requests) const {
  for (const ZoneRequest& request : requests.one_by_one)
    if (!choose(*this, free, request)) return std::nullopt;
  Amounts left = free;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> taken;  // by zone and kind
  for (const ZoneRequest& request : requests.side_by_side) {
    const auto zones = choose(*this, left, request);
    if (!zones) return std::nullopt;
    for (std::size_t k = 0; k < request.size(); ++k) {
      std::int64_t missing = std::max<std::int64_t>(request[k], 0);
      for (std::size_t z : *zones) {
        const std::int64_t part = std::clamp<std::int64_t>(left[z][k], 0, missing);
        if (part == 0) continue;
        left[z][k] -= part;
        missing -= part;
        taken[{z, k}] += part;
      }
    }
  }
  std::vector<ZoneShare> shares;
  for (const auto& [at, units] : taken)
    shares.push_back({static_cast<std::uint32_t>(at.first), kinds[at.second], units});
  std::sort(shares.begin(), shares.end(), [](const ZoneShare& a, const ZoneShare& b) {
    return std::pair(a.zone, a.kind) < std::pair(b.zone, b.kind);
  });
  return shares;
}

}  // namespace muster::plugins
