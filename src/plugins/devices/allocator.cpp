// A search with backtracking. The devices of one request are tried only in ascending order, because their
// order does not matter.
#include "plugins/devices/allocator.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

constexpr std::size_t kMostDevices = 32;  // of one claim, the limit of the Kubernetes API
// Limits on steps: of a search on one node; of all searches for a claim in a cycle; and of each further
// search once these are used up.
constexpr std::int64_t kMostSteps = 100'000, kMostInAll = 10 * kMostSteps, kFewSteps = 1'000;

bool same_value(const DeviceAttribute& a, const DeviceAttribute& b) {
  return a.type == b.type && a.number == b.number && a.text == b.text;
}

class Search {
 public:
  Search(Session& session, DevicePools& pools, const DeviceRules& rules, NodeId node,
         std::span<const Claim* const> claims)
      : session_(session), pools_(pools), rules_(rules), node_(node), claims_(claims) {
    for (const DevicePool& pool : pools_.of(node))
      for (const PooledDevice& device : pool.devices) devices_.push_back(&device);
    is_complete_ = std::all_of(pools_.of(node).begin(), pools_.of(node).end(),
                               [](const DevicePool& pool) { return pool.is_complete; });
  }

  DeviceChoice run() {
    for (const Claim* claim : claims_)
      if (auto refusal = unsatisfiable(*claim)) return {{}, std::move(refusal)};
    std::int64_t& used = pools_.steps_for(*claims_.front());
    steps_left_ = std::clamp(kMostInAll - used, kFewSteps, kMostSteps);
    const std::int64_t granted = steps_left_;
    const bool found = serve(0, 0);
    used += granted - steps_left_;
    if (stopped_by_) return {{}, std::move(stopped_by_)};
    if (found) return {allocations(), std::nullopt};
    return {{}, refused(*claims_.back(), nullptr)};
  }

 private:
  struct Taken {
    std::size_t claim = 0;
    const DeviceRequest* request = nullptr;
    std::string name;  // "request", or "request/alternative"
    const PooledDevice* device = nullptr;
  };

  // ---- before the search

  // Checks each request by itself against all devices that are free at the start.
  std::optional<NodeRefusal> unsatisfiable(const Claim& claim) {
    std::int64_t wanted = 0;
    for (const DeviceRequest& request : claim.object.requests) {
      if (!request.alternatives.empty() && !rules_.alternatives) return refused(claim, nullptr);
      if (!request.alternatives.empty()) continue;
      if (request.admin_access && !rules_.admin_access) return refused(claim, nullptr);
      const MatchCount matching = pools_.count_matches(claim, request, node_);
      if (matching.end == MatchCount::End::kFailed) return no_answer(claim, request);
      if (auto refusal = over_limit(claim, matching)) return refusal;
      const std::int64_t free = matching.matching > 0 ? count_free(request) : 0;
      if (request.all ? !is_complete_ : free < request.count) return refused(claim, &request, free);
      wanted += request.all ? 1 : std::min<std::int64_t>(request.count, kMostDevices + 1);
      if (wanted > static_cast<std::int64_t>(kMostDevices)) return refused(claim, nullptr);
    }
    return std::nullopt;
  }

  std::int64_t count_free(const DeviceRequest& request) {
    return std::ranges::count_if(devices_, [&](const PooledDevice* device) {
      return pools_.matches(request, *device) && is_free(request, *device);
    });
  }

  // The selectors of the claim take too many steps, or those of this cycle are used up.
  std::optional<NodeRefusal> over_limit(const Claim& claim, const MatchCount& matching) {
    using End = MatchCount::End;
    if (matching.end != End::kTooCostly && matching.end != End::kUnfinished) return std::nullopt;
    NodeRefusal refusal{.rule = NodeRule::kSelectorsUnfinished, .kind = {}, .what = claim.name};
    if (matching.end == End::kUnfinished) {
      session_.decisions.is_unfinished = true;
      return refusal;
    }
    refusal.rule = NodeRule::kSelectorsTooCostly;
    refusal.wanted = matching.steps, refusal.available = pools_.steps_per_claim();
    return refusal;
  }

  NodeRefusal refused(const Claim& claim, const DeviceRequest* request, std::int64_t free = 0) const {
    NodeRefusal refusal{.rule = NodeRule::kDevices, .kind = {}, .what = claim.name};
    if (request != nullptr)
      refusal.wanted = request->all ? free + 1 : request->count, refusal.available = free;
    return refusal;
  }

  NodeRefusal no_answer(const Claim& claim, const DeviceRequest& request) const {
    NodeRefusal refusal = refused(claim, nullptr);
    refusal.what += " (" + pools_.failure(request) + ")";
    return refusal;
  }

  // ---- the search

  bool serve(std::size_t claim, std::size_t at) {
    if (claim == claims_.size()) return true;
    const auto& requests = claims_[claim]->object.requests;
    if (at == requests.size()) return serve(claim + 1, 0);
    const DeviceRequest& request = requests[at];
    if (request.alternatives.empty()) return fill(claim, at, request, request.name);
    return std::any_of(request.alternatives.begin(), request.alternatives.end(), [&](const DeviceRequest& a) {
      return can_choose(*claims_[claim], a) && fill(claim, at, a, request.name + "/" + a.name);
    });
  }

  // An alternative that is too costly is not passed over: the next one is worse.
  bool can_choose(const Claim& claim, const DeviceRequest& alternative) {
    if (stopped_by_) return false;
    const MatchCount matching = pools_.count_matches(claim, alternative, node_);
    stopped_by_ = over_limit(claim, matching);
    return matching.end == MatchCount::End::kCounted;
  }

  bool fill(std::size_t claim, std::size_t at, const DeviceRequest& request, const std::string& name) {
    if (!request.all) return take(claim, at, request, name, request.count, 0);
    std::int64_t all = 0;
    for (const PooledDevice* device : devices_) all += pools_.matches(request, *device);
    return all > 0 && all <= static_cast<std::int64_t>(kMostDevices) &&
           take(claim, at, request, name, all, 0);
  }

  bool take(std::size_t claim, std::size_t at, const DeviceRequest& request, const std::string& name,
            std::int64_t left, std::size_t from) {
    if (left == 0) return serve(claim, at + 1);
    if (taken_of(claim) >= kMostDevices) return false;
    for (std::size_t i = from; i < devices_.size() && --steps_left_ > 0; ++i) {
      const PooledDevice& device = *devices_[i];
      if (!pools_.matches(request, device) || !is_free(request, device)) continue;
      taken_.push_back({claim, &request, name, &device});
      if (meets_constraints(claim) && take(claim, at, request, name, left - 1, i + 1)) return true;
      taken_.pop_back();
    }
    return false;
  }

  bool is_free(const DeviceRequest& request, const PooledDevice& device) const {
    if (rules_.taints && !tolerates_all(request.tolerations, device.taints)) return false;
    if (request.admin_access) return true;
    if (session_.cluster.devices().in_use(device.id)) return false;
    return std::none_of(taken_.begin(), taken_.end(), [&](const Taken& t) {
      return t.device->id == device.id && !t.request->admin_access;
    });
  }

  std::size_t taken_of(std::size_t claim) const {
    return static_cast<std::size_t>(
        std::count_if(taken_.begin(), taken_.end(), [&](const Taken& t) { return t.claim == claim; }));
  }

  // Compares only the last device with the others, because the others already meet the constraints.
  bool meets_constraints(std::size_t claim) const {
    const auto& constraints = claims_[claim]->object.constraints;
    return std::all_of(constraints.begin(), constraints.end(), [&](const DeviceConstraint& constraint) {
      const Taken& last = taken_.back();
      if (!concerns(constraint, last)) return true;
      const DeviceAttribute* value = attribute_of(*last.device, constraint.match_attribute);
      return value != nullptr && std::all_of(taken_.begin(), taken_.end(), [&](const Taken& other) {
               if (other.claim != claim || !concerns(constraint, other)) return true;
               return same_value(*value, *attribute_of(*other.device, constraint.match_attribute));
             });
    });
  }

  static bool concerns(const DeviceConstraint& constraint, const Taken& taken) {
    const std::string parent = taken.name.substr(0, taken.name.find('/'));
    return constraint.requests.empty() ||
           std::any_of(constraint.requests.begin(), constraint.requests.end(),
                       [&](const std::string& name) { return name == taken.name || name == parent; });
  }

  // ---- after the search

  std::vector<AllocationObject> allocations() const {
    std::vector<AllocationObject> chosen(claims_.size());
    for (const Taken& t : taken_) {
      AllocationObject& allocation = chosen[t.claim];
      allocation.devices.push_back({t.name, t.device->slice->driver, t.device->slice->pool,
                                    t.device->spec->name, t.request->admin_access});
      restrict(allocation, t.device->slice->reach_by_device ? t.device->spec->reach : t.device->slice->reach);
    }
    return chosen;
  }

  // Limits the allocation to the nodes that can reach the device. If two devices differ in these, only this
  // node is certain to reach both.
  void restrict(AllocationObject& allocation, const NodeReach& reach) const {
    if (reach.node.empty() && !reach.has_selector) return;
    const NodeTerm here{.fields = {{"metadata.name", Operator::kIn, {session_.cluster.node(node_).name}}}};
    const std::vector<NodeTerm> nodes = reach.node.empty() ? reach.selector : std::vector{here};
    if (allocation.has_selector && allocation.selector != nodes)
      allocation.selector = {here};
    else
      allocation.selector = nodes;
    allocation.has_selector = true;
  }

  Session& session_;
  DevicePools& pools_;
  const DeviceRules& rules_;
  const NodeId node_;
  const std::span<const Claim* const> claims_;
  std::vector<const PooledDevice*> devices_;
  bool is_complete_ = true;
  std::vector<Taken> taken_;
  std::int64_t steps_left_ = 0;
  std::optional<NodeRefusal> stopped_by_;
};

}  // namespace

DeviceChoice choose_devices(Session& session, DevicePools& pools, const DeviceRules& rules, NodeId node,
                            std::span<const Claim* const> claims) {
  return Search(session, pools, rules, node, claims).run();
}

}  // namespace muster::plugins
