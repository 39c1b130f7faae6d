// Counts as the kubelet does: pinned CPUs, memory of guaranteed pods, and devices; by pod or container by
// container.
#include "plugins/numa/requests.hpp"

#include <algorithm>

namespace muster::plugins {
namespace {

constexpr std::int64_t kOneCpu = 1000;

// Only whole CPUs are pinned.
std::int64_t pinned(std::int64_t thousandths) { return thousandths % kOneCpu == 0 ? thousandths : 0; }

std::int64_t amount_in(const ContainerRequest& container, const std::string& name) {
  const std::int64_t units = units_of(container.amounts, name);
  return name == "cpu" ? pinned(units) : units;
}

// The most CPUs that are pinned at the same time. Sidecars that come before an init container in the list run
// alongside it.
std::int64_t pinned_at_once(const Shape& shape) {
  if (shape.containers.empty()) return pinned(amount_of(shape.request, kCpu));
  std::int64_t running = 0, peak = 0;
  for (const ContainerRequest& c : shape.containers) {
    const std::int64_t cpus = amount_in(c, "cpu");
    if (c.runs_before)
      peak = std::max(peak, running + cpus);
    else
      running += cpus;
  }
  return std::max(running, peak);
}

bool requests_device(const KindTable& kinds, const Shape& shape, const NodeZones& zones) {
  return std::any_of(zones.kinds.begin(), zones.kinds.end(), [&](Kind k) {
    return !is_for_guaranteed_only(kinds.name(k)) && amount_of(shape.request, k) > 0;
  });
}

std::int64_t amount_of_pod(const Shape& shape, Kind kind) {
  if (kind == kCpu) return pinned_at_once(shape);
  const std::int64_t claimed = kind == kGpu ? shape.claimed_gpus * kOneGpu : 0;
  return amount_of(shape.request, kind) - claimed;
}

template <class AmountOf>
ZoneRequest request(const KindTable& kinds, const Shape& shape, const NodeZones& zones, AmountOf amount) {
  ZoneRequest requested;
  for (Kind k : zones.kinds) {
    const std::string& name = kinds.name(k);
    requested.push_back(shape.guaranteed || !is_for_guaranteed_only(name) ? amount(k, name) : 0);
  }
  return requested;
}

}  // namespace

bool is_for_guaranteed_only(const std::string& name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

std::int64_t units_of(const std::vector<NamedAmount>& amounts, const std::string& name) {
  for (const NamedAmount& a : amounts)
    if (a.name == name) return a.units;
  return 0;
}

bool is_aligned(const KindTable& kinds, const Shape& shape, const NodeZones& zones) {
  if (!zones.is_scored()) return false;
  return shape.guaranteed || requests_device(kinds, shape, zones);
}

ZoneRequests requests_of(const KindTable& kinds, const Shape& shape, const NodeZones& zones) {
  ZoneRequests requests;
  if (zones.by_pod || shape.containers.empty()) {
    requests.side_by_side.push_back(
        request(kinds, shape, zones, [&](Kind k, const std::string&) { return amount_of_pod(shape, k); }));
    return requests;
  }
  for (const ContainerRequest& c : shape.containers)
    (c.runs_before ? requests.one_by_one : requests.side_by_side)
        .push_back(
            request(kinds, shape, zones, [&](Kind, const std::string& name) { return amount_in(c, name); }));
  return requests;
}

}  // namespace muster::plugins
