// "namespace/name": under which objects of a namespace are found.
#pragma once

#include <string>
#include <string_view>

namespace muster {

inline std::string key_of(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  return key.append(ns).append(1, '/').append(name);
}

}  // namespace muster
