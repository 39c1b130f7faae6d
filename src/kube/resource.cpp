// Paths of the API: made for a kind, and read for metrics.
#include "kube/resource.hpp"

#include <vector>

namespace muster::kube {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    parts.push_back(path.substr(0, path.find('/')));
    path.remove_prefix(parts.back().size());
  }
  return parts;
}

}  // namespace

std::string Resource::path(std::string_view ns) const {
  if (!is_namespaced || ns.empty()) return path();
  return root() + "/namespaces/" + std::string(ns) + "/" + plural;
}

Resource resource_of(const ObjectKind& kind) {
  return {std::string(kind.group), std::string(kind.version), std::string(kind.kind),
          std::string(kind.plural), kind.is_namespaced};
}

std::string resource_in(std::string_view path) {
  const auto parts = parts_of(path);
  std::size_t plural = !parts.empty() && parts[0] == "apis" ? 3 : 2;
  if (plural + 2 < parts.size() && parts[plural] == "namespaces") plural += 2;
  if (plural >= parts.size()) return "";
  const bool has_part = plural + 2 < parts.size();
  return std::string(parts[plural]) + (has_part ? "/" + std::string(parts[plural + 2]) : "");
}

}  // namespace muster::kube
