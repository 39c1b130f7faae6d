// Parses a selector only when it has to be evaluated on a device with an unknown result.
#include "plugins/devices/selectors.hpp"

#include <algorithm>
#include <set>

namespace muster::plugins {
namespace {

// Expressions that are kept parsed: they take much more memory than their texts.
constexpr std::size_t kMostParsed = 64;

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
  SelectedDevice(const ResourceSliceObject& slice, const DeviceSpec& device)
      : slice_(slice), device_(device) {}
  std::string_view driver() const override { return slice_.driver; }
  std::optional<cel::Value> attribute(std::string_view domain, std::string_view id) const override {
    const auto* found = find_attribute(slice_, device_, domain, id);
    return found == nullptr ? std::nullopt : std::optional(value_of(*found));
  }
  std::optional<cel::Quantity> capacity(std::string_view domain, std::string_view id) const override {
    const auto* found = find_entry(device_.capacity, domain, id, slice_.driver);
    return found == nullptr ? std::nullopt : std::optional(cel::Quantity{found->thousandths});
  }
  std::vector<std::string> keys(const cel::DevicePart& part) const override {
    using What = cel::DevicePart::What;
    const bool is_capacity = part.what == What::kCapacities || part.what == What::kCapacitiesOf;
    const bool is_domain = part.what == What::kAttributes || part.what == What::kCapacities;
    std::set<std::string> keys;
    const auto add = [&](const std::string& name) {
      const std::size_t slash = name.find('/');
      const std::string domain = slash == std::string::npos ? slice_.driver : name.substr(0, slash);
      if (is_domain) keys.insert(domain);
      if (!is_domain && domain == part.domain)
        keys.insert(name.substr(slash == std::string::npos ? 0 : slash + 1));
    };
    if (is_capacity)
      for (const DeviceCapacity& capacity : device_.capacity) add(capacity.name);
    else
      for (const DeviceAttribute& attribute : device_.attributes) add(attribute.name);
    return {keys.begin(), keys.end()};
  }

 private:
  const ResourceSliceObject& slice_;
  const DeviceSpec& device_;
};

}  // namespace

const DeviceAttribute* find_attribute(const ResourceSliceObject& slice, const DeviceSpec& device,
                                      std::string_view domain, std::string_view id) {
  return find_entry(device.attributes, domain, id, slice.driver);
}

std::optional<SelectorResult> SelectorEvaluator::evaluate(ResultsOfSelector& selector,
                                                          const ResourceSliceObject& slice,
                                                          const DeviceSpec& device, const std::string& ns) {
  using Verdict = SelectorResult::Verdict;
  const auto index = static_cast<std::size_t>(&device - slice.devices.data());
  const SelectorResult known = selector.find(slice, index);
  if (known.verdict != Verdict::kUnknown) return known;
  if (!has_steps_left(ns)) {
    results_.note_unfinished();
    return std::nullopt;
  }
  const auto& expression = parsed(selector, ns);
  if (!expression) {
    selector.keep_failure(slice, index, 0, expression.error().message);
    return selector.find(slice, index);
  }
  const cel::Evaluated evaluated = expression->evaluate(SelectedDevice(slice, device));
  count(kStepsToBegin + evaluated.steps, ns);
  const auto steps = static_cast<std::uint32_t>(evaluated.steps);
  if (const auto* failed = evaluated.value.as<cel::Failure>())
    selector.keep_failure(slice, index, steps, failed->why);
  else
    selector.keep(slice, index, {*evaluated.value.as<bool>() ? Verdict::kYes : Verdict::kNo, steps});
  return selector.find(slice, index);
}

bool SelectorEvaluator::has_steps_left(const std::string& ns) const {
  if (ns.empty() || results_.steps() < kStepsPerCycle) return true;
  const auto used = steps_of_.find(ns);
  return used == steps_of_.end() || used->second < kStepsPerNamespace;
}

void SelectorEvaluator::count(std::int64_t steps, const std::string& ns) {
  results_.count(steps);
  if (!ns.empty()) steps_of_[ns] += steps;
}

const Result<cel::Expression>& SelectorEvaluator::parsed(const ResultsOfSelector& selector,
                                                         const std::string& ns) {
  if (const auto known = parsed_.find(&selector); known != parsed_.end()) return known->second;
  if (parsed_.size() >= kMostParsed) parsed_.clear();
  auto expression = cel::Expression::parse(selector.text());
  const auto size = static_cast<std::int64_t>(selector.text().size());
  count(size + (expression ? expression->folding_steps() : 0), ns);
  return parsed_.emplace(&selector, std::move(expression)).first->second;
}

}  // namespace muster::plugins
