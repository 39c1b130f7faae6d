// Volumes, config maps and device claims that a pod needs.
#include <algorithm>

#include "manifest/pod_parts.hpp"

namespace muster {
namespace {

// Sorts the names and removes duplicates.
void tidy(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

void need_config_map(std::string_view name, PodParts& parts) {
  const bool is_made_later = parts.has_shared_gpu_config_map && name.starts_with(parts.shared_gpu_config_map);
  if (!name.empty() && !is_made_later) parts.pod.constraints.config_maps.emplace_back(name);
}

void read_config_map(const Field& source, PodParts& parts) {
  if (source.is_present() && !source["optional"].boolean().value_or(false))
    need_config_map(source["name"].text(), parts);
}

void read_config_maps(const Field& volume, PodParts& parts) {
  const auto& mounted = parts.references.mounted_volumes;
  if (std::find(mounted.begin(), mounted.end(), volume["name"].text()) == mounted.end()) return;
  read_config_map(volume.object("configMap"), parts);
  const Field projected = volume.object("projected");
  projected["sources"].each_object(
      [&](const Field& source) { read_config_map(source.object("configMap"), parts); });
}

void read_volume(const Field& volume, PodParts& parts) {
  auto& claims = parts.pod.constraints.volume_claims;
  const Field claim = volume.object("persistentVolumeClaim"), ephemeral = volume.object("ephemeral");
  if (claim.is_present()) claims.push_back(claim["claimName"].string());
  if (ephemeral.is_present()) claims.push_back(parts.pod.meta.name + '-' + volume["name"].string());
  read_config_maps(volume, parts);
}

// The claim created from a template, found by its name in the pod.
std::string generated_claim(const Field& statuses, std::string_view name) {
  std::string claim;
  statuses.each_object([&](const Field& status) {
    if (status["name"].text() == name) claim = status["resourceClaimName"].text();
  });
  return claim;
}

}  // namespace

void read_volumes(const Field& volumes, PodParts& parts) {
  volumes.each_object([&](const Field& volume) { read_volume(volume, parts); });
}

void finish_config_maps(PodParts& parts) {
  for (const std::string_view name : parts.references.config_maps) need_config_map(name, parts);
  tidy(parts.pod.constraints.config_maps);
}

void read_resource_claims(const Field& claims, const Field& statuses, Constraints& constraints) {
  claims.each_object([&](const Field& field) {
    ClaimReference& claim = constraints.resource_claims.emplace_back();
    claim.name = field["name"].text();
    claim.from_template = field["resourceClaimTemplateName"].is_present();
    claim.claim =
        claim.from_template ? generated_claim(statuses, claim.name) : field["resourceClaimName"].string();
  });
}

}  // namespace muster
