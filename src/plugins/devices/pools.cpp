// Gathers the slices that a node reaches when it is first asked for, and remembers which devices match what.
#include "plugins/devices/pools.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "model/selectors.hpp"

namespace muster::plugins {
namespace {

// "id" alone is in the domain of the driver.
bool is_named(const std::string& name, std::string_view domain, std::string_view id,
              const std::string& driver) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return domain == driver && name == id;
  return std::string_view(name).substr(0, slash) == domain && std::string_view(name).substr(slash + 1) == id;
}

template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, std::string_view domain, std::string_view id,
                        const std::string& driver) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& e) { return is_named(e.name, domain, id, driver); });
  return found == entries.end() ? nullptr : &*found;
}

cel::Value value_of(const DeviceAttribute& attribute) {
  switch (attribute.type) {
    case DeviceAttribute::Type::kInt:
      return attribute.number;
    case DeviceAttribute::Type::kBool:
      return attribute.number != 0;
    case DeviceAttribute::Type::kText:
      return attribute.text;
    case DeviceAttribute::Type::kVersion:
      break;
  }
  auto version = cel::Version::parse(attribute.text);
  return version ? cel::Value(*std::move(version)) : cel::failure("not a version: " + attribute.text);
}

class SelectedDevice final : public cel::Device {
 public:
  explicit SelectedDevice(const PooledDevice& device) : device_(device) {}
  std::string_view driver() const override { return device_.slice->driver; }
  std::optional<cel::Value> attribute(std::string_view domain, std::string_view id) const override {
    const auto* found = find_entry(device_.spec->attributes, domain, id, device_.slice->driver);
    return found == nullptr ? std::nullopt : std::optional(value_of(*found));
  }
  std::optional<cel::Quantity> capacity(std::string_view domain, std::string_view id) const override {
    const auto* found = find_entry(device_.spec->capacity, domain, id, device_.slice->driver);
    return found == nullptr ? std::nullopt : std::optional(cel::Quantity{found->thousandths});
  }
  std::vector<std::string> keys(const cel::DevicePart& part) const override {
    using What = cel::DevicePart::What;
    const bool is_capacity = part.what == What::kCapacities || part.what == What::kCapacitiesOf;
    const bool is_domain = part.what == What::kAttributes || part.what == What::kCapacities;
    std::set<std::string> keys;
    const auto add = [&](const std::string& name) {
      const std::size_t slash = name.find('/');
      const std::string domain = slash == std::string::npos ? device_.slice->driver : name.substr(0, slash);
      if (is_domain) keys.insert(domain);
      if (!is_domain && domain == part.domain)
        keys.insert(name.substr(slash == std::string::npos ? 0 : slash + 1));
    };
    if (is_capacity)
      for (const DeviceCapacity& capacity : device_.spec->capacity) add(capacity.name);
    else
      for (const DeviceAttribute& attribute : device_.spec->attributes) add(attribute.name);
    return {keys.begin(), keys.end()};
  }

 private:
  const PooledDevice& device_;
};

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
  return find_entry(device.spec->attributes, full_name.substr(0, slash), id, device.slice->driver);
}

DevicePools::DevicePools(Session& session)
    : session_(session), slices_(session.cluster.devices().current_slices()) {
  std::stable_sort(slices_.begin(), slices_.end(), [](const auto* a, const auto* b) {
    return std::tie(a->driver, a->pool) < std::tie(b->driver, b->pool);
  });
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const NodeReach& reach = slices_[i]->reach;
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

const DevicePools::Selector& DevicePools::selector(const std::string& text) {
  const auto found = selectors_.find(text);
  return found != selectors_.end() ? found->second
                                   : selectors_.emplace(text, cel::Expression::parse(text)).first->second;
}

std::optional<bool> DevicePools::meets(const std::vector<std::string>& selectors, const PooledDevice& device,
                                       std::string& failure) {
  for (const std::string& text : selectors) {
    const Selector& parsed = selector(text);
    if (!parsed) return failure = parsed.error().message, std::nullopt;
    const cel::Value value = parsed->evaluate(SelectedDevice(device)).value;
    if (const auto* failed = value.as<cel::Failure>()) return failure = failed->why, std::nullopt;
    if (!*value.as<bool>()) return false;
  }
  return true;
}

DevicePools::Selection DevicePools::selection_of(const DeviceRequest& request) {
  const auto [found, is_new] = selection_of_.try_emplace(&request, 0);
  if (!is_new) return found->second;
  std::string text = request.device_class;
  for (const std::string& selector : request.selectors) text += '\0' + selector;
  const auto number = static_cast<Selection>(selections_.size());
  return found->second = selections_.try_emplace(std::move(text), number).first->second;
}

std::optional<std::int64_t> DevicePools::count_matches(const DeviceRequest& request, NodeId node) {
  const auto [found, is_new] = counts_.try_emplace({selection_of(request), node}, 0);
  if (!is_new) return found->second;
  std::int64_t count = 0;
  for (const DevicePool& pool : of(node))
    for (const PooledDevice& device : pool.devices) {
      const auto met = matches(request, device);
      if (!met) return found->second = std::nullopt;
      count += *met;
    }
  return found->second = count;
}

std::optional<bool> DevicePools::matches(const DeviceRequest& request, const PooledDevice& device) {
  const Selection selection = selection_of(request);
  const auto [found, is_new] = matches_.try_emplace({selection, device.id}, false);
  if (!is_new) return found->second;
  const auto* device_class = session_.cluster.kept().find<DeviceClassObject>(request.device_class);
  std::string failure;
  std::optional<bool> met = device_class == nullptr ? false : meets(device_class->selectors, device, failure);
  if (met && *met) met = meets(request.selectors, device, failure);
  if (!met) failures_[selection] = std::move(failure);
  return found->second = met;
}

}  // namespace muster::plugins
