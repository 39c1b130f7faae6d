// Collects the slices of a node on its first use, and caches which devices match which request.
#include "plugins/devices/pools.hpp"

#include <algorithm>
#include <tuple>

#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

const std::string kNoNamespace;  // whose selectors are those of classes

bool reaches(const NodeReach& reach, const Node& node) {
  if (!reach.node.empty()) return reach.node == node.name;
  return reach.all || (reach.has_selector && matches_any(reach.selector, node));
}

bool reaches(const ResourceSliceObject& slice, const DeviceSpec& device, const Node& node) {
  return reaches(slice.reach_by_device ? device.reach : slice.reach, node);
}

bool is_selected(const DeviceTaintRuleObject& rule, const ResourceSliceObject& slice,
                 const DeviceSpec& device) {
  return rule.selects && (rule.driver.empty() || rule.driver == slice.driver) &&
         (rule.pool.empty() || rule.pool == slice.pool) &&
         (rule.device.empty() || rule.device == device.name);
}

}  // namespace

const DeviceAttribute* attribute_of(const PooledDevice& device, std::string_view full_name) {
  const std::size_t slash = std::min(full_name.find('/'), full_name.size());
  const std::string_view id = full_name.substr(std::min(slash + 1, full_name.size()));
  return find_attribute(*device.slice, *device.spec, full_name.substr(0, slash), id);
}

DevicePools::DevicePools(Session& session)
    : session_(session),
      slices_(session.cluster.devices().current_slices()),
      selectors_(session.selector_results()) {
  std::stable_sort(slices_.begin(), slices_.end(), [](const auto* a, const auto* b) {
    return std::tie(a->driver, a->pool) < std::tie(b->driver, b->pool);
  });
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const NodeReach& reach = slices_[i]->reach;
    steps_per_claim_ += kStepsPerClaimAndDevice * std::ssize(slices_[i]->devices);
    (reach.node.empty() ? of_many_ : of_node_[reach.node]).push_back(i);
  }
}

const std::vector<DevicePool>& DevicePools::of(NodeId node) {
  const auto found = pools_.find(node);
  return found != pools_.end() ? found->second : pools_.emplace(node, gather(node)).first->second;
}

std::vector<DevicePool> DevicePools::gather(NodeId id) {
  const Node& node = session_.cluster.node(id);
  std::vector<std::size_t> candidates = of_many_;
  if (const auto own = of_node_.find(node.name); own != of_node_.end())
    candidates.insert(candidates.end(), own->second.begin(), own->second.end());
  std::sort(candidates.begin(), candidates.end());
  std::vector<DevicePool> pools;
  const ResourceSliceObject* last = nullptr;
  std::int64_t slices = 0;
  for (std::size_t i : candidates) {
    const ResourceSliceObject& slice = *slices_[i];
    std::vector<PooledDevice> devices;
    for (const DeviceSpec& spec : slice.devices)
      if (reaches(slice, spec, node))
        devices.push_back({&slice, &spec, session_.cluster.intern_device(slice.driver, slice.pool, spec.name),
                           taints_of(slice, spec)});
    if (devices.empty() && (slice.reach_by_device || !reaches(slice.reach, node))) continue;
    const bool is_new = last == nullptr || last->driver != slice.driver || last->pool != slice.pool;
    if (is_new) pools.emplace_back(), slices = 0;
    pools.back().devices.insert(pools.back().devices.end(), devices.begin(), devices.end());
    pools.back().is_complete = ++slices >= slice.slice_count;
    last = &slice;
  }
  return pools;
}

std::vector<Taint> DevicePools::taints_of(const ResourceSliceObject& slice, const DeviceSpec& device) const {
  std::vector<Taint> taints = device.taints;
  for (const auto& [name, rule] : session_.cluster.kept().all<DeviceTaintRuleObject>())
    if (is_selected(rule, slice, device)) taints.insert(taints.end(), rule.taints.begin(), rule.taints.end());
  return taints;
}

// ---------------------------------------------------------------- selections

DevicePools::Selection& DevicePools::selection_of(const DeviceRequest& request) {
  const auto [found, is_new] = selection_of_.try_emplace(&request, nullptr);
  if (!is_new) return *found->second;
  std::string text = request.device_class;
  for (const std::string& selector : request.selectors) text += '\0' + selector;
  auto& selection = selections_[std::move(text)];
  if (selection == nullptr) selection = std::make_unique<Selection>(make_selection(request));
  return *(found->second = selection.get());
}

DevicePools::Selection DevicePools::make_selection(const DeviceRequest& request) {
  Selection made;
  const auto* device_class = session_.cluster.kept().find<DeviceClassObject>(request.device_class);
  made.has_class = device_class != nullptr;
  if (made.has_class)
    for (const std::string& text : device_class->selectors)
      made.selectors.push_back({&session_.selector_results().of(text), true});
  for (const std::string& text : request.selectors)
    made.selectors.push_back({&session_.selector_results().of(text), false});
  return made;
}

// The steps do not depend on whether results were known, so neither does what exceeds the limit.
std::int64_t DevicePools::steps_of(const Claim& claim) {
  const auto [found, is_new] = selections_of_.try_emplace(&claim);
  std::vector<const Selection*>& selections = found->second;
  if (is_new) {
    const auto add = [&](const DeviceRequest& request) { selections.push_back(&selection_of(request)); };
    for (const DeviceRequest& request : claim.object.requests) {
      add(request);
      std::ranges::for_each(request.alternatives, add);
    }
    std::ranges::sort(selections);
    selections.erase(std::unique(selections.begin(), selections.end()), selections.end());
  }
  std::int64_t steps = 0;
  for (const Selection* selection : selections) steps += selection->steps;
  return steps;
}

DevicePools::Match DevicePools::evaluate(const Claim& claim, Selection& selection,
                                         const PooledDevice& device) {
  using Verdict = SelectorResult::Verdict;
  Match match = selection.has_class ? Match::kYes : Match::kNo;
  std::int64_t steps = 0;
  for (const Selector& selector : selection.selectors) {
    if (match != Match::kYes) break;
    const std::string& ns = selector.is_of_class ? kNoNamespace : claim.ns;
    const auto result = selectors_.evaluate(*selector.results, *device.slice, *device.spec, ns);
    if (!result) return Match::kUnknown;
    if (!selector.is_of_class) steps += kStepsToBegin + result->steps;
    if (result->verdict == Verdict::kFailed) selection.failure = selector.results->failure(*result);
    match = result->verdict == Verdict::kYes  ? Match::kYes
            : result->verdict == Verdict::kNo ? Match::kNo
                                              : Match::kFailed;
  }
  selection.steps += steps;
  return match;
}

MatchCount DevicePools::count_matches(const Claim& claim, const DeviceRequest& request, NodeId node) {
  Selection& selection = selection_of(request);
  if (const auto known = counts_.find({&selection, node}); known != counts_.end()) return known->second;
  const std::int64_t others = steps_of(claim) - selection.steps;
  MatchCount count;
  for (const DevicePool& pool : of(node))
    for (const PooledDevice& device : pool.devices) {
      Match& match = matches_[{&selection, device.id}];
      if (match == Match::kUnknown) {
        if (others + selection.steps > steps_per_claim_)
          return {.end = MatchCount::End::kTooCostly, .steps = others + selection.steps};
        match = evaluate(claim, selection, device);
      }
      if (match == Match::kUnknown) return {.end = MatchCount::End::kUnfinished};
      if (match == Match::kFailed) return counts_[{&selection, node}] = {.end = MatchCount::End::kFailed};
      count.matching += match == Match::kYes;
    }
  return counts_[{&selection, node}] = count;
}

bool DevicePools::matches(const DeviceRequest& request, const PooledDevice& device) {
  const auto found = matches_.find({&selection_of(request), device.id});
  return found != matches_.end() && found->second == Match::kYes;
}

}  // namespace muster::plugins
