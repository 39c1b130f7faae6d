// Interns allocations and counts their users, so that a device is free once its last user is gone.
#include "model/devices.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <tuple>

namespace muster {
namespace {

// More GPUs than any cluster has, but few enough that sums over all pods do not overflow.
constexpr std::int64_t kMostGpus = 1'000'000'000;

std::int64_t gpus_of(const ResourceClaimObject& claim) {
  if (claim.of_extended_resource) return 0;
  std::int64_t sum = 0;
  for (const DeviceRequest& r : claim.requests) {
    if (!r.alternatives.empty() || !is_gpu_name(r.device_class)) continue;
    sum += r.all ? 1 : std::clamp<std::int64_t>(r.count, 1, kMostGpus);
  }
  return std::min(sum, kMostGpus);
}

std::string text_of(const AllocationObject& object) {
  std::string text;
  const auto add = [&](const std::string& s) { text += std::to_string(s.size()) + ":" + s; };
  for (const AllocatedDevice& d : object.devices)
    add(d.request), add(d.driver), add(d.pool), add(d.device), text += d.admin_access ? 'A' : '-';
  text += object.has_selector ? '|' : '-';
  for (const NodeTerm& term : object.selector) {
    for (const auto* list : {&term.labels, &term.fields}) {
      for (const Requirement& r : *list) {
        add(r.key), text += std::to_string(static_cast<int>(r.op));
        for (const std::string& v : r.values) add(v);
      }
      text += ';';
    }
    text += '/';
  }
  return text;
}

// The number at the end of a zone's name; nullopt if there is none.
std::optional<std::int64_t> number_of(const NumaZoneSpec& zone) {
  const std::size_t start = zone.name.find_last_not_of("0123456789") + 1;
  std::int64_t number = 0;
  const char *from = zone.name.data() + start, *to = zone.name.data() + zone.name.size();
  if (from == to || std::from_chars(from, to, number).ec != std::errc()) return std::nullopt;
  return number;
}

// The order in which the kubelet numbers zones: by number, then zones without a number by name.
bool numbered_before(const NumaZoneSpec& a, const NumaZoneSpec& b) {
  const auto key = [](const NumaZoneSpec& z) {
    const auto number = number_of(z);
    return std::tuple(!number, number.value_or(0), std::string_view(z.name));
  };
  return key(a) < key(b);
}

// To selectors, which see drivers, attributes and capacities.
bool looks_the_same(const ResourceSliceObject& a, const ResourceSliceObject& b) {
  return a.driver == b.driver &&
         std::ranges::equal(a.devices, b.devices, [](const DeviceSpec& x, const DeviceSpec& y) {
           return x.attributes == y.attributes && x.capacity == y.capacity;
         });
}

}  // namespace

bool is_gpu_name(std::string_view name) {
  constexpr std::string_view kPart = "gpu";
  return std::search(name.begin(), name.end(), kPart.begin(), kPart.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != name.end();
}

// ---------------------------------------------------------------- objects

ClaimId DeviceTable::mention_claim(std::string_view ns, std::string_view name) {
  const auto [found, is_new] = claim_ids_.try_emplace(key_of(ns, name));
  if (!is_new) return found->second;
  found->second = free_claims_.take(claims_);
  claims_[found->second].ns = ns;
  claims_[found->second].name = name;
  return found->second;
}

void DeviceTable::keep_only(Marks<ClaimId> used_claims, Marks<AllocationId> used) {
  for (ClaimId c : ids(claims_)) {
    if (claims_[c].present || claims_[c].holders > 0 || claims_[c].others > 0) used_claims.add(c);
    if (used_claims.contains(c)) used.add(claims_[c].allocated), used.add(claims_[c].held);
  }
  free_claims_.sweep(claim_ids_, claims_, used_claims);
  free_allocations_.sweep(allocation_ids_, allocations_, used);
}

ClaimId DeviceTable::apply(ResourceClaimObject&& object) {
  const ClaimId id = mention_claim(object.meta.ns, object.meta.name);
  const AllocationId allocated = object.allocation ? intern(*object.allocation) : AllocationId();
  Claim& claim = claims_[id];
  claim.present = true;
  claim.gpus = gpus_of(object);
  claim.allocated = allocated;
  claim.object = std::move(object);
  return id;
}

ClaimId DeviceTable::imagine(std::string_view ns, std::string_view name,
                             std::vector<DeviceRequest> requests) {
  const ClaimId id = mention_claim(ns, name);
  Claim& claim = claims_[id];
  if (claim.present && !claim.object.imagined) return id;
  claim.present = true;
  claim.object.requests = std::move(requests);
  claim.object.of_extended_resource = claim.object.imagined = true;
  return id;
}

bool DeviceTable::is_used(std::string_view ns, std::string_view name) const {
  const auto found = claim_ids_.find(key_of(ns, name));
  if (found == claim_ids_.end()) return false;
  const Claim& claim = claims_[found->second];
  return claim.allocated.valid() || claim.holders > 0;
}

void DeviceTable::forget_imagined(ClaimId id) {
  if (claims_[id].object.imagined) remove_claim(claims_[id].ns, claims_[id].name);
}

void DeviceTable::remove_claim(std::string_view ns, std::string_view name) {
  const auto found = claim_ids_.find(key_of(ns, name));
  if (found == claim_ids_.end()) return;
  Claim& claim = claims_[found->second];
  claim.present = false;
  claim.object = {};
  claim.gpus = 0;
  claim.allocated = {};
}

void DeviceTable::apply(ResourceSliceObject&& object) {
  ResourceSliceObject& known = slices_[object.meta.name];
  const bool is_new = known.version == 0 || !looks_the_same(known, object);
  object.version = is_new ? ++slice_versions_ : known.version;
  known = std::move(object);
}

void DeviceTable::apply(NodeTopologyObject&& object) {
  const std::string node = object.meta.name;
  std::sort(object.zones.begin(), object.zones.end(), numbered_before);
  topologies_[node] = std::move(object);
}

const NodeTopologyObject* DeviceTable::topology(std::string_view node) const {
  const auto found = topologies_.find(node);
  return found == topologies_.end() ? nullptr : &found->second;
}

std::vector<const ResourceSliceObject*> DeviceTable::current_slices() const {
  absl::flat_hash_map<std::string, std::int64_t> newest;
  for (const auto& [name, slice] : slices_) {
    const auto [found, is_new] = newest.try_emplace(key_of(slice.driver, slice.pool), slice.generation);
    if (!is_new) found->second = std::max(found->second, slice.generation);
  }
  std::vector<const ResourceSliceObject*> current;
  for (const auto& [name, slice] : slices_)
    if (slice.generation == newest[key_of(slice.driver, slice.pool)]) current.push_back(&slice);
  return current;
}

void DeviceTable::reserve(ClaimId id, const std::string& pod_uid, AllocationId allocation) {
  Claim& claim = claims_[id];
  if (!claim.present) return;
  if (!claim.allocated.valid()) claim.allocated = allocation;
  auto& pods = claim.object.reserved_for;
  if (std::find(pods.begin(), pods.end(), pod_uid) == pods.end()) pods.push_back(pod_uid);
}

void DeviceTable::release(ClaimId id, const std::string& pod_uid) {
  Claim& claim = claims_[id];
  std::erase(claim.object.reserved_for, pod_uid);
  if (claim.object.reserved_for.empty()) claim.allocated = {};
}

// ---------------------------------------------------------------- devices

GroupId DeviceTable::device(std::string_view driver, std::string_view pool, std::string_view name) {
  std::string key = key_of(driver, pool).append(1, '/').append(name);
  const auto [found, is_new] = device_ids_.try_emplace(std::move(key), users_.end_id());
  if (is_new) users_.push_back(0);
  return found->second;
}

AllocationId DeviceTable::intern(AllocationObject object) {
  const auto [found, is_new] = allocation_ids_.try_emplace(text_of(object));
  if (!is_new) return found->second;
  Allocation made;
  for (const AllocatedDevice& d : object.devices) {
    made.devices.push_back(device(d.driver, d.pool, d.device));
    if (is_gpu_name(d.driver)) made.gpus.push_back(made.devices.back());
  }
  made.object = std::move(object);
  found->second = free_allocations_.take(allocations_);
  allocations_[found->second] = std::move(made);
  return found->second;
}

// ---------------------------------------------------------------- holders of devices

void DeviceTable::use(AllocationId id, int sign) {
  const Allocation& allocation = allocations_[id];
  for (std::size_t i = 0; i < allocation.devices.size(); ++i)
    if (!allocation.object.devices[i].admin_access) users_[allocation.devices[i]] += sign;
}

void DeviceTable::hold(ClaimId id, AllocationId allocation, int sign) {
  Claim& claim = claims_[id];
  const AllocationId before = claim.current();
  claim.holders += sign;
  if (sign > 0) claim.held = allocation;
  if (claim.holders == 0) claim.held = {};
  const AllocationId after = claim.current();
  if (before == after) return;
  if (before.valid()) use(before, -1);
  if (after.valid()) use(after, +1);
}

void DeviceTable::count_others(const absl::flat_hash_set<std::string>& active_pods) {
  const auto is_other = [&](const std::string& uid) { return !active_pods.contains(uid); };
  for (Claim& claim : claims_) {
    const auto& pods = claim.object.reserved_for;
    const auto others = static_cast<std::int32_t>(std::count_if(pods.begin(), pods.end(), is_other));
    claim.others = !claim.allocated.valid() ? 0 : pods.empty() ? 1 : others;
  }
}

void DeviceTable::clear_holders() {
  users_.assign(users_.size(), 0);
  for (Claim& claim : claims_) {
    claim.holders = 0;
    claim.held = {};
    if (claim.others > 0) use(claim.allocated, +1);
  }
}

std::string DeviceTable::fingerprint() const {
  std::string out;
  for (const Claim& claim : claims_)
    out += "claim " + claim.ns + "/" + claim.name + " " + std::to_string(claim.holders) + "+" +
           std::to_string(claim.others) + " " + std::to_string(claim.current().index()) + "\n";
  for (GroupId d : ids(users_))
    if (users_[d] != 0) out += "device " + std::to_string(d.index()) + ":" + std::to_string(users_[d]) + "\n";
  return out;
}

}  // namespace muster
