// The runtime classes of the files: pods that no API server has seen yet get what their class says. Live, the
// API server does that; for files we do.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/objects.hpp"

namespace muster {

class RuntimeClasses {
 public:
  void add(const RuntimeClassObject& runtime_class) { by_name_[runtime_class.meta.name] = runtime_class; }
  // Null: there is none of that name.
  const RuntimeClassObject* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, RuntimeClassObject, std::less<>> by_name_;
};

}  // namespace muster
