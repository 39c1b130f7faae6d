// The table of resource kinds.
#include "model/resources.hpp"

#include <charconv>

namespace muster {

KindTable::KindTable() {
  for (const char* name : {"cpu", "memory", "nvidia.com/gpu", "pods"}) intern(name);
}

Kind KindTable::intern(std::string_view name) {
  if (const auto found = kinds_.find(name); found != kinds_.end()) return found->second;
  const Kind kind = free_.take(names_);
  names_[kind] = name;
  kinds_.emplace(std::string(name), kind);
  return kind;
}

void KindTable::keep_only(Marks<Kind> used) {
  for (Kind fixed : {kCpu, kMemory, kGpu, kPods}) used.add(fixed);
  free_.sweep(kinds_, names_, used);
}

std::int64_t units_per_byte(std::string_view resource) {
  if (resource.starts_with("hugepages-")) return 1000;
  return resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ? 1 : 0;
}

std::int64_t most_units(std::string_view resource) {
  return units_per_byte(resource) > 0 ? kMostByteUnits : kMostUnits;
}

std::int64_t mig_gpus(std::string_view resource) {
  constexpr std::string_view prefix = "nvidia.com/mig-";
  if (!resource.starts_with(prefix)) return 0;
  const std::string_view profile = resource.substr(prefix.size());
  const auto g = profile.find("g.");
  if (g == std::string_view::npos || !profile.ends_with("gb")) return 0;
  std::int64_t gpus = 0, memory = 0;
  const std::string_view size = profile.substr(g + 2, profile.size() - g - 4);
  const auto whole = [](std::string_view text, std::int64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  return whole(profile.substr(0, g), gpus) && whole(size, memory) ? gpus : 0;
}

}  // namespace muster
