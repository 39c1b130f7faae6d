// Volumes, their claims and classes, by name.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/objects.hpp"

namespace muster {

struct StorageTable {
  template <class Object>
  using ByName = std::map<std::string, Object, std::less<>>;

  ByName<VolumeClaimObject> claims;  // "ns/name"
  ByName<VolumeObject> volumes;
  ByName<StorageClassObject> classes;
  ByName<StorageCapacityObject> capacities;  // "ns/name"
  ByName<CsiDriverObject> drivers;

  template <class Object>
  static const Object* find(const ByName<Object>& objects, std::string_view name) {
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : &found->second;
  }
  const VolumeClaimObject* claim(const std::string& ns, const std::string& name) const {
    return find(claims, ns + "/" + name);
  }
};

}  // namespace muster
