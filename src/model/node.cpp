// Reads node objects.
#include "model/node.hpp"

#include <algorithm>

namespace muster {
namespace {

std::int64_t gpu_memory_of(const Labels& labels, bool& known) {
  const std::string* text = find_label(labels, "nvidia.com/gpu.memory");
  std::int64_t mib = 0;
  known = false;
  if (text != nullptr && !text->empty() && text->find_first_not_of("0123456789") == std::string::npos &&
      text->size() < 18)
    mib = std::stoll(*text);
  if (mib >= (1 << 20)) mib >>= 20;  // the label is in bytes
  mib -= mib % 100;
  if (mib <= 0) return 100;
  known = true;
  return mib;
}

std::int64_t devices_of(const Labels& labels, std::int64_t allocatable) {
  const std::string* text = find_label(labels, "nvidia.com/gpu.count");
  if (text == nullptr || text->empty() || text->find_first_not_of("0123456789") != std::string::npos ||
      text->size() > 9)
    return allocatable;
  return std::stoll(*text);
}

MigStrategy strategy_of(const Labels& labels) {
  const std::string* text = find_label(labels, "nvidia.com/mig.strategy");
  if (text == nullptr) return MigStrategy::kNone;
  return *text == "single"  ? MigStrategy::kSingle
         : *text == "mixed" ? MigStrategy::kMixed
                            : MigStrategy::kNone;
}

bool is_mig_node(const NodeObject& object, const std::string& role_label) {
  if (const std::string* role = find_label(object.meta.labels, role_label))
    return *role == "true" || *role == "1" || *role == "t" || *role == "T" || *role == "TRUE" ||
           *role == "True";
  return std::any_of(object.allocatable.begin(), object.allocatable.end(), [](const NamedAmount& a) {
    return a.name.starts_with("nvidia.com/mig-") && a.units > 0;
  });
}

}  // namespace

const std::string* Node::label(std::string_view key) const {
  const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                   [](const auto& pair, std::string_view k) { return pair.first < k; });
  return at != labels.end() && at->first == key ? &at->second : nullptr;
}

void read_node(NodeObject&& object, const NodeReading& reading, Node& node) {
  static_cast<NodeConditions&>(node) = object.conditions;
  node.created = object.meta.created;
  node.taints = std::move(object.taints);
  node.is_mig = is_mig_node(object, reading.mig_role);
  node.mig_strategy = strategy_of(object.meta.labels);
  node.gpu_memory = gpu_memory_of(object.meta.labels, node.gpu_memory_known);
  node.allocatable.clear();
  for (const NamedAmount& a : object.allocatable)
    if (a.units > 0)
      node.allocatable.push_back({reading.kinds.intern(a.name), std::min(a.units, most_units(a.name) - 1)});
  node.gpu_devices = devices_of(object.meta.labels, amount_of(node.allocatable, kGpu) / kOneGpu);
  std::sort(object.meta.labels.begin(), object.meta.labels.end());
  node.labels = std::move(object.meta.labels);
}

}  // namespace muster
