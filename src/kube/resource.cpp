// Builds API paths for kinds, and parses them for metrics.
#include "kube/resource.hpp"

#include <fmt/format.h>

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

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                          c == '-' || c == '_' || c == '.' || c == '~';
    result += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

bool is_object_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
         name.find_first_of("/%") == std::string_view::npos;
}

// Servers decode a path before they split it, so an escaped slash would become a separator again. Encoding an
// illegal name twice leaves a percent sign after decoding, which no object name contains.
std::string path_part(std::string_view name) {
  return is_object_name(name) ? escaped(name) : "%25" + escaped(escaped(name));
}

std::string path_of_api(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return "/api/" + path_part(api_version);
  return "/apis/" + path_part(api_version.substr(0, slash)) + "/" + path_part(api_version.substr(slash + 1));
}

std::string Resource::path(std::string_view ns) const {
  if (!is_namespaced || ns.empty()) return path();
  return root() + "/namespaces/" + path_part(ns) + "/" + plural;
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
