// Applies the defaults first, then checks the bounds of containers and of whole pods.
#include "manifest/namespace_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace muster {
namespace {

// Completes the item like the API server: `max` is the default for `default`, which, like `min`, is a default
// for `defaultRequest`.
LimitRangeItem completed(LimitRangeItem item) {
  if (item.of_pod) return item;
  complete(item.default_limit, item.max);
  complete(item.default_request, item.default_limit);
  complete(item.default_request, item.min);
  return item;
}

// The amount as a Kubernetes quantity: "500m", "2", "1073741824".
std::string in_units(const NamedAmount& amount) {
  const bool is_milli = amount.name == "cpu" || amount.name == kGpuName;
  if (!is_milli) return fmt::format("{}", amount.units);
  return amount.units % 1000 == 0 ? fmt::format("{}", amount.units / 1000) : fmt::format("{}m", amount.units);
}

}  // namespace

void NamespaceLimits::add(const LimitRangeObject& range) {
  for (const LimitRangeItem& item : range.items)
    items_[range.meta.ns].push_back({range.meta.name, completed(item)});
}

void NamespaceLimits::complete(std::string_view ns, Amounts& requests, Amounts& limits) const {
  const auto found = items_.find(ns);
  if (found == items_.end()) return;
  for (const Item& entry : found->second) {
    muster::complete(limits, entry.item.default_limit);
    muster::complete(requests, entry.item.default_request);
  }
}

std::string NamespaceLimits::refusal(std::string_view ns, bool of_pod, const Amounts& requests,
                                     const Amounts& limits) const {
  const auto found = items_.find(ns);
  if (found == items_.end()) return "";
  for (const auto& [range, item] : found->second) {
    if (item.of_pod != of_pod) continue;
    const auto text = [&name = range](const char* bound, const NamedAmount& amount) {
      return fmt::format("LimitRange {} allows {} {} of {}; the API server would reject this pod", name,
                         bound, in_units(amount), amount.name);
    };
    for (const NamedAmount& most : item.max)
      if (std::max(units_of(requests, most.name), units_of(limits, most.name)) > most.units)
        return text("at most", most);
    for (const NamedAmount& least : item.min)
      if (units_of(requests, least.name) < least.units) return text("no less than", least);
  }
  return "";
}

}  // namespace muster
