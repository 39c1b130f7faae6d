#include "manifest/amounts.hpp"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kPerDevice = 1000;

enum class Unit : std::uint8_t { kIgnored, kWhole, kThousandth, kDevice };

bool is_native(std::string_view name) {
  return name == "memory" || name == kPodsName || name == "ephemeral-storage" || name == "storage";
}

Unit unit_of(std::string_view name) {
  if (name == "cpu") return Unit::kThousandth;
  if (name == kGpuName || name == "amd.com/gpu") return Unit::kDevice;
  if (is_native(name) || is_mig_profile(name)) return Unit::kWhole;
  const bool is_prefixed = name.find('/') != std::string_view::npos && !name.starts_with("requests.");
  const bool is_listed = name.starts_with("hugepages-") || name.starts_with("attachable-volumes-");
  return is_prefixed || is_listed ? Unit::kThousandth : Unit::kIgnored;
}

std::int64_t devices(std::int64_t count) { return count > kMost / kPerDevice ? kMost : count * kPerDevice; }

NamedAmount& entry(Amounts& amounts, std::string_view name) {
  for (NamedAmount& amount : amounts)
    if (amount.name == name) return amount;
  return amounts.emplace_back(NamedAmount{std::string(name), 0});
}

}  // namespace

bool is_mig_profile(std::string_view name) { return name.starts_with("nvidia.com/mig-"); }

void add_resource(std::string_view name, const Field& quantity, Amounts& amounts) {
  switch (unit_of(name)) {
    case Unit::kWhole:
      return add(amounts, name, quantity.whole());
    case Unit::kThousandth:
      return add(amounts, name, quantity.milli());
    case Unit::kDevice:
      return add(amounts, kGpuName, devices(quantity.whole()));
    case Unit::kIgnored:
      return;
  }
}

void add_resource_list(const Field& list, Amounts& amounts) {
  list.each_member([&](const Field& member) { add_resource(member.key(), member, amounts); });
}

void add(Amounts& amounts, std::string_view name, std::int64_t units) {
  std::int64_t& sum = entry(amounts, name).units;
  if (__builtin_add_overflow(sum, units, &sum)) sum = kMost;
}

void add(Amounts& amounts, const Amounts& more) {
  for (const NamedAmount& amount : more) add(amounts, amount.name, amount.units);
}

void raise(Amounts& amounts, const Amounts& floor) {
  for (const NamedAmount& amount : floor) {
    std::int64_t& units = entry(amounts, amount.name).units;
    units = std::max(units, amount.units);
  }
}

std::int64_t units_of(const Amounts& amounts, std::string_view name) {
  for (const NamedAmount& amount : amounts)
    if (amount.name == name) return amount.units;
  return 0;
}

void tidy(Amounts& amounts) {
  std::erase_if(amounts, [](const NamedAmount& amount) { return amount.units == 0; });
  std::sort(amounts.begin(), amounts.end(),
            [](const NamedAmount& a, const NamedAmount& b) { return a.name < b.name; });
}

}  // namespace muster
