// Runtime classes that were read from files. Their settings are added to pods that no API server has seen
// yet; in a cluster the API server does that.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/objects.hpp"

namespace muster {

class RuntimeClasses {
 public:
  void add(const RuntimeClassObject& runtime_class) { by_name_[runtime_class.meta.name] = runtime_class; }
  // Returns null if there is no class of that name.
  const RuntimeClassObject* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, RuntimeClassObject, std::less<>> by_name_;
};

}  // namespace muster
