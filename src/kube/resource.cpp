#include "kube/resource.hpp"

namespace muster::kube {

std::string Resource::path(std::string_view ns) const {
  if (!is_namespaced || ns.empty()) return path();
  return root() + "/namespaces/" + std::string(ns) + "/" + plural;
}

}  // namespace muster::kube
