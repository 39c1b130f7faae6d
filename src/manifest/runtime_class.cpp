// Decodes runtime classes, and applies them to new pods: overhead, node selector, tolerations.
#include <fmt/format.h>

#include <algorithm>

#include "manifest/decoders.hpp"
#include "manifest/meta.hpp"
#include "manifest/pod_parts.hpp"
#include "manifest/runtime_classes.hpp"

namespace muster {
namespace {

void take_overhead(const Field& spec, const RuntimeClassObject& from, PodParts& parts) {
  tidy(parts.overhead);
  if (parts.overhead.empty())
    parts.overhead = from.overhead;
  else if (parts.overhead != from.overhead)
    spec["overhead"].warn(fmt::format(
        "differs from that of RuntimeClass {}; the API server would reject this pod", from.meta.name));
}

void take_node_selector(const Field& spec, const RuntimeClassObject& from, Labels& selector) {
  for (const auto& [key, value] : from.node_selector) {
    const std::string* own = find_label(selector, key);
    if (own == nullptr)
      selector.insert(std::ranges::upper_bound(selector, std::pair(key, value)), {key, value});
    else if (*own != value)
      spec["nodeSelector"].warn(
          fmt::format("has {}={}, but RuntimeClass {} has {}={}; the API server would reject this pod", key,
                      *own, from.meta.name, key, value));
  }
}

void take_tolerations(const RuntimeClassObject& from, std::vector<Toleration>& tolerations) {
  for (const Toleration& toleration : from.tolerations)
    if (std::ranges::find(tolerations, toleration) == tolerations.end()) tolerations.push_back(toleration);
}

}  // namespace

void decode(const Field& root, RuntimeClassObject& runtime_class) {
  read_meta(root, runtime_class.meta);
  const Field overhead = root.object("overhead"), scheduling = root.object("scheduling");
  add_resource_list(overhead["podFixed"], runtime_class.overhead);
  tidy(runtime_class.overhead);
  runtime_class.node_selector = labels_of(scheduling["nodeSelector"]);
  Constraints constraints;
  read_tolerations(scheduling["tolerations"], constraints);
  runtime_class.tolerations = std::move(constraints.tolerations);
}

void apply_runtime_class(const Field& spec, PodParts& parts) {
  if (!parts.is_new || parts.runtime_class.empty()) return;
  parts.pod.runtime_class = parts.runtime_class;
  const RuntimeClasses* const classes = spec.runtime_classes();
  const RuntimeClassObject* const found = classes == nullptr ? nullptr : classes->find(parts.runtime_class);
  if (found == nullptr) return;
  Constraints& constraints = parts.pod.constraints;
  take_overhead(spec, *found, parts);
  take_node_selector(spec, *found, constraints.node_selector);
  take_tolerations(*found, constraints.tolerations);
}

}  // namespace muster
