// The default objects as JSON, with the values of KAI-Scheduler's chart.
#include "grouper/default_objects.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::grouper {
namespace {

using nlohmann::json;

constexpr const char* kParentQueue = "default-parent-queue";

constexpr std::array<int, kShippedClasses.size()> kValues{50, 75, 100, 125};

json queue(const char* name, int quota) {
  const json amounts = {{"quota", quota}, {"limit", -1}, {"overQuotaWeight", 1}};
  return {{"apiVersion", "scheduling.run.ai/v2"},
          {"kind", "Queue"},
          {"metadata", {{"name", name}}},
          {"spec", {{"resources", {{"cpu", amounts}, {"gpu", amounts}, {"memory", amounts}}}}}};
}

}  // namespace

// The parent may use everything; the queue itself has no quota.
std::vector<json> default_queues() {
  std::vector<json> queues{queue(kParentQueue, -1), queue(kDefaultQueue, 0)};
  queues.back()["spec"]["parentQueue"] = kParentQueue;
  return queues;
}

json shipped_priority_class(const std::string& name) {
  const auto* const found = std::ranges::find(kShippedClasses, name);
  if (found == kShippedClasses.end()) return nullptr;
  return {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", name}}},
          {"value", kValues[static_cast<std::size_t>(found - kShippedClasses.begin())]}};
}

}  // namespace muster::grouper
