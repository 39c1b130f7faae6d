// Collects LimitRanges and runtime classes, and the pods that name a missing runtime class.
#include "loader/admission.hpp"

#include <fmt/format.h>

#include "util/names.hpp"

namespace muster::loader {

void Admission::note(const Object& object) {
  if (const auto* pod = std::get_if<PodObject>(&object)) {
    has_pods_ = true;
    if (!pod->runtime_class.empty())
      pods_of_runtime_[pod->runtime_class].insert(muster::key_of(pod->meta.ns, pod->meta.name));
  } else if (const auto* range = std::get_if<LimitRangeObject>(&object)) {
    limits_.add(*range);
    has_late_rules_ |= has_pods_;
  } else if (const auto* runtime_class = std::get_if<RuntimeClassObject>(&object)) {
    runtime_classes_.add(*runtime_class);
    has_late_rules_ |= has_pods_;
  }
}

std::vector<ObjectWarning> Admission::warnings() const {
  std::vector<ObjectWarning> warnings;
  for (const auto& [name, pods] : pods_of_runtime_) {
    if (runtime_classes_.find(name) != nullptr) continue;
    const std::string others =
        pods.size() == 1 ? "" : fmt::format(" (and {})", counted(pods.size() - 1, "more pod"));
    warnings.push_back(
        {"Pod " + *pods.begin(), "spec.runtimeClassName",
         fmt::format("RuntimeClass \"{}\" is not in these files; its overhead and scheduling rules are not "
                     "applied{}",
                     name, others)});
  }
  return warnings;
}

}  // namespace muster::loader
