// Handles device claims. The devices of a claim are part of the placement, so that moving a task back
// restores them.
#include "plugins/devices/dynamic_resources.hpp"

#include <algorithm>

#include "engine/cycle/session.hpp"
#include "model/selectors.hpp"
#include "plugins/devices/allocator.hpp"

namespace muster::plugins {
namespace {

constexpr std::size_t kMostConsumers = 256;  // of one claim, the limit of the Kubernetes API

JobReason reason(JobRule rule, TaskId task, std::string name, std::string of = "") {
  return {.rule = rule, .task = task, .name = std::move(name), .of = std::move(of)};
}

bool shares_gpus(const ClaimReference& reference, const Claim& claim) {
  const auto& requests = claim.object.requests;
  return !reference.from_template &&
         std::any_of(requests.begin(), requests.end(), [](const DeviceRequest& r) {
           return r.alternatives.empty() && is_gpu_name(r.device_class);
         });
}

class DynamicResources final : public Plugin {
 public:
  explicit DynamicResources(DynamicResourcesOptions options) : options_(std::move(options)) {}

  void open(Session& session, Hooks& hooks) override {
    session_ = &session;
    if (!session.cluster.has_device_claims()) return;
    pools_.emplace(session);
    hooks.before_placing.add([this](TaskId t) { return obstacle(t, true); });
    hooks.hopeless.add([this](TaskId t) { return obstacle(t, false); });
    hooks.node_filter.add([this](TaskId t, NodeId n) { return refusal(t, n); });
    hooks.holding.add([this](TaskId t, NodeId, Holding& held) { hold(t, held); });
  }

 private:
  const DeviceTable& devices() const { return session_->cluster.devices(); }

  // ---- before any node is looked at

  // `with_consumers`: also considers the consumers of claims, which an eviction could change.
  std::optional<JobReason> obstacle(TaskId t, bool with_consumers) const {
    const Shape& shape = session_->cluster.shape_of(t);
    const auto& references = shape.constraints.resource_claims;
    for (std::size_t i = 0; i < references.size(); ++i) {
      if (!options_.enabled && references[i].of_containers) continue;
      if (!options_.enabled) return reason(JobRule::kDeviceClaimsOff, t, references[i].name);
      if (!shape.claims[i].valid()) return reason(JobRule::kDeviceClaimMissing, t, "", references[i].name);
      const Claim& claim = devices().claim(shape.claims[i]);
      if (!claim.present) return reason(JobRule::kDeviceClaimMissing, t, claim.name);
      if (with_consumers && is_full(claim)) return full(t, claim);
      if (shares_gpus(references[i], claim))
        if (auto other = of_other_queue(t, claim)) return other;
      if (auto missing = missing_class(t, claim)) return missing;
    }
    return std::nullopt;
  }

  // Entries of reservedFor that are placed pods of this cluster are already counted as holders.
  static std::size_t consumers_of(const Claim& claim) {
    const auto others =
        claim.allocated.valid() ? static_cast<std::size_t>(claim.others) : claim.object.reserved_for.size();
    return others + static_cast<std::size_t>(claim.holders);
  }
  static bool is_full(const Claim& claim) { return consumers_of(claim) >= kMostConsumers; }

  static JobReason full(TaskId t, const Claim& claim) {
    JobReason r = reason(JobRule::kDeviceClaimFull, t, claim.name);
    r.held = static_cast<double>(consumers_of(claim));
    return r;
  }

  std::optional<JobReason> of_other_queue(TaskId t, const Claim& claim) const {
    const std::string* label = find_label(claim.object.meta.labels, options_.queue_label);
    const JobId job = session_->cluster.task(t).job;
    if (label != nullptr && job.valid() && *label == session_->cluster.job(job).queue_name)
      return std::nullopt;
    return reason(JobRule::kDeviceClaimOfOther, t, claim.name, label == nullptr ? "" : *label);
  }

  std::optional<JobReason> missing_class(TaskId t, const Claim& claim) const {
    if (claim.current().valid()) return std::nullopt;
    for (const DeviceRequest& r : claim.object.requests)
      if (r.alternatives.empty() && !session_->cluster.kept().find<DeviceClassObject>(r.device_class))
        return reason(JobRule::kDeviceClassMissing, t, r.device_class, claim.name);
    return std::nullopt;
  }

  // ---- a node

  std::optional<NodeRefusal> refusal(TaskId t, NodeId n) {
    const Shape& shape = session_->cluster.shape_of(t);
    if (shape.claims.empty()) return std::nullopt;
    std::vector<const Claim*> open;
    std::vector<std::size_t> open_at;
    chosen_.assign(shape.claims.size(), AllocationId());
    for (std::size_t i = 0; i < shape.claims.size(); ++i) {
      if (!needs_devices(shape.constraints.resource_claims[i], n)) continue;
      const Claim& claim = devices().claim(shape.claims[i]);
      chosen_[i] = claim.current();
      if (!chosen_[i].valid())
        open.push_back(&claim), open_at.push_back(i);
      else if (!is_reachable(chosen_[i], n))
        return NodeRefusal{.rule = NodeRule::kClaimElsewhere, .kind = {}, .what = claim.name};
    }
    if (open.empty() || keeps_devices(t, n)) return std::nullopt;
    DeviceChoice choice = choose_devices(*session_, *pools_, options_.rules, n, open);
    if (choice.refusal) return std::move(choice.refusal);
    for (std::size_t i = 0; i < open_at.size(); ++i)
      chosen_[open_at[i]] = session_->cluster.intern_allocation(std::move(choice.allocations[i]));
    return std::nullopt;
  }

  bool needs_devices(const ClaimReference& reference, NodeId n) const {
    if (!reference.of_containers) return true;
    return options_.enabled && !(reference.unless_offered && has_gpus_of_its_own(n));
  }

  // True if the node has GPUs that are not in resource slices.
  bool has_gpus_of_its_own(NodeId n) const {
    const auto claimable = session_->cluster.node(n).claimable_gpus * kOneGpu;
    return session_->cluster.allocatable().at(kGpu, n) > claimable;
  }

  // Whether an evicted task can return to its own devices, because no other task took them.
  bool keeps_devices(TaskId t, NodeId n) {
    const Placement& at = session_->cluster.placement(t);
    const auto& held = session_->cluster.holding(at.holding).claims;
    if (!at.virtually_evicted || at.node != n || held.size() != chosen_.size()) return false;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (!chosen_[i].valid() && (!held[i].valid() || is_taken(held[i]))) return false;
    for (std::size_t i = 0; i < held.size(); ++i)
      if (!chosen_[i].valid()) chosen_[i] = held[i];
    return true;
  }

  bool is_taken(AllocationId id) const {
    const Allocation& allocation = devices().allocation(id);
    for (std::size_t i = 0; i < allocation.devices.size(); ++i)
      if (!allocation.object.devices[i].admin_access && devices().in_use(allocation.devices[i])) return true;
    return false;
  }

  bool is_reachable(AllocationId id, NodeId n) const {
    const AllocationObject& allocation = devices().allocation(id).object;
    return !allocation.has_selector || matches_any(allocation.selector, session_->cluster.node(n));
  }

  // Stores the allocations that the filter has just chosen for the task.
  void hold(TaskId t, Holding& held) const {
    if (session_->cluster.shape_of(t).claims.empty()) return;
    const bool has_devices = std::ranges::any_of(chosen_, [](AllocationId id) { return id.valid(); });
    held.claims = has_devices ? chosen_ : std::vector<AllocationId>();
  }

  const DynamicResourcesOptions options_;
  Session* session_ = nullptr;
  std::optional<DevicePools> pools_;
  std::vector<AllocationId> chosen_;  // for the task and node that the filter last let pass
};

}  // namespace

std::unique_ptr<Plugin> make_dynamic_resources(DynamicResourcesOptions options) {
  return std::make_unique<DynamicResources>(std::move(options));
}

}  // namespace muster::plugins
