// Amounts by resource name. Sums saturate at the largest 64-bit number.
#include "manifest/amounts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "util/quantity.hpp"

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

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

// Returns nullopt if muster does not count this resource.
std::optional<NamedAmount> amount_of(std::string_view name, const Field& quantity) {
  switch (unit_of(name)) {
    case Unit::kWhole:
      return NamedAmount{std::string(name), quantity.whole()};
    case Unit::kThousandth:
      return NamedAmount{std::string(name), quantity.milli()};
    case Unit::kDevice:
      return NamedAmount{std::string(kGpuName), devices(quantity.whole())};
    case Unit::kIgnored:
      break;
  }
  return std::nullopt;
}

bool is_before(const NamedAmount& a, const NamedAmount& b) { return a.name < b.name; }

// Sorts a list that was read and merges entries with the same name: GPUs of all vendors have one name.
void put_in_order(Amounts& amounts) {
  const auto is_not_before = [](const NamedAmount& a, const NamedAmount& b) { return !is_before(a, b); };
  if (std::ranges::adjacent_find(amounts, is_not_before) == amounts.end()) return;
  std::ranges::stable_sort(amounts, is_before);
  auto last = amounts.begin();
  for (auto next = last + 1; next != amounts.end(); ++next)
    if (next->name == last->name)
      last->units = sum_of(last->units, next->units);
    else if (++last != next)
      *last = std::move(*next);
  amounts.erase(last + 1, amounts.end());
}

// Calls `join(std::int64_t& units, std::int64_t more)` for names in both lists; other entries of the second
// list are added.
template <class Join>
void merge(Amounts& amounts, const Amounts& more, Join join) {
  const auto before = static_cast<std::ptrdiff_t>(amounts.size());
  auto at = amounts.begin();
  Amounts added;
  for (const NamedAmount& amount : more) {
    while (at != amounts.end() && at->name < amount.name) ++at;
    if (at != amounts.end() && at->name == amount.name)
      join(at->units, amount.units);
    else
      added.push_back(amount);
  }
  amounts.insert(amounts.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  std::inplace_merge(amounts.begin(), amounts.begin() + before, amounts.end(), is_before);
}

}  // namespace

bool is_mig_profile(std::string_view name) { return name.starts_with("nvidia.com/mig-"); }

bool is_part_of_device(std::string_view name, const Field& quantity) {
  if ((unit_of(name) != Unit::kDevice && !is_mig_profile(name)) || !quantity.is_present()) return false;
  if (double number = 0; quantity.json().is_number() && quantity.json().get(number) == simdjson::SUCCESS)
    return number != std::floor(number);
  std::string_view text;
  const auto milli =
      quantity.json().get(text) == simdjson::SUCCESS ? quantity_milli(text) : std::optional<std::int64_t>();
  return milli && *milli != kMost && *milli % kPerDevice != 0;
}

void add_resource(std::string_view name, const Field& quantity, Amounts& amounts) {
  if (const auto amount = amount_of(name, quantity)) add(amounts, amount->name, amount->units);
}

void add_resource_list(const Field& list, Amounts& amounts) {
  Amounts listed;
  list.each_member([&](const Field& member) {
    if (auto amount = amount_of(member.key(), member)) listed.push_back(std::move(*amount));
  });
  put_in_order(listed);
  if (amounts.empty())
    amounts = std::move(listed);
  else
    add(amounts, listed);
}

void add(Amounts& amounts, std::string_view name, std::int64_t units) {
  const auto at = std::ranges::lower_bound(amounts, name, {}, &NamedAmount::name);
  if (at != amounts.end() && at->name == name)
    at->units = sum_of(at->units, units);
  else
    amounts.insert(at, {std::string(name), units});
}

void add(Amounts& amounts, const Amounts& more) {
  merge(amounts, more, [](std::int64_t& units, std::int64_t added) { units = sum_of(units, added); });
}

void raise(Amounts& amounts, const Amounts& floor) {
  merge(amounts, floor, [](std::int64_t& units, std::int64_t least) { units = std::max(units, least); });
}

void complete(Amounts& amounts, const Amounts& defaults) {
  merge(amounts, defaults, [](std::int64_t&, std::int64_t) {});
}

std::int64_t units_of(const Amounts& amounts, std::string_view name) {
  const auto at = std::ranges::lower_bound(amounts, name, {}, &NamedAmount::name);
  return at != amounts.end() && at->name == name ? at->units : 0;
}

void tidy(Amounts& amounts) {
  std::erase_if(amounts, [](const NamedAmount& amount) { return amount.units == 0; });
}

}  // namespace muster
