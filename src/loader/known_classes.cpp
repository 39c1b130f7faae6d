// Adds the shipped priority classes that no file defines.
#include "loader/known_classes.hpp"

#include <nlohmann/json.hpp>

#include "grouper/default_objects.hpp"

namespace muster::loader {

void add_shipped_priority_classes(Cluster& cluster) {
  for (const std::string_view name : grouper::kShippedClasses) {
    if (cluster.kept().find<PriorityClassObject>(name) != nullptr) continue;
    PriorityClassObject object;
    object.meta.name = object.meta.uid = name;
    object.value = grouper::shipped_priority_class(std::string(name))["value"].get<std::int32_t>();
    cluster.apply(Object(std::move(object)));
  }
}

}  // namespace muster::loader
