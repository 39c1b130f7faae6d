// Finds the claims that a pod lacks and creates them from their templates.
#include "loader/claim_templates.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "document/json.hpp"
#include "grouper/fields.hpp"

namespace muster::loader {
namespace {

using grouper::at;
using grouper::text_at;
using json = nlohmann::json;

constexpr const char* kTemplateKind = "ResourceClaimTemplate";
constexpr const char* kTemplateGroup = "resource.k8s.io";

bool has_status(const json& pod, const std::string& claim) {
  for (const json& status : at(pod, "/status/resourceClaimStatuses"))
    if (text_at(status, "/name") == claim) return true;
  return false;
}

void name_claim(json& pod, const std::string& claim, const std::string& made) {
  json& status = pod["status"];
  if (!status.is_object()) status = json::object();
  json& statuses = status["resourceClaimStatuses"];
  if (!statuses.is_array()) statuses = json::array();
  statuses.push_back({{"name", claim}, {"resourceClaimName", made}});
}

json claim_of(const json& pod, const std::string& name, const json& made_from) {
  json metadata = at(made_from, "/spec/metadata");
  if (!metadata.is_object()) metadata = json::object();
  metadata["name"] = name;
  metadata["namespace"] = text_at(pod, "/metadata/namespace");
  metadata["ownerReferences"] = {{{"apiVersion", "v1"},
                                  {"kind", "Pod"},
                                  {"name", text_at(pod, "/metadata/name")},
                                  {"controller", true}}};
  return {{"apiVersion", text_at(made_from, "/apiVersion")},
          {"kind", "ResourceClaim"},
          {"metadata", std::move(metadata)},
          {"spec", at(made_from, "/spec/spec")}};
}

}  // namespace

bool lacks_claims(Json pod) {
  simdjson::dom::array claims, statuses;
  if (pod.at_pointer("/spec/resourceClaims").get(claims) != simdjson::SUCCESS) return false;
  std::size_t from_templates = 0;
  for (const Json claim : claims)
    from_templates += claim.at_pointer("/resourceClaimTemplateName").error() == simdjson::SUCCESS;
  const bool has_statuses =
      pod.at_pointer("/status/resourceClaimStatuses").get(statuses) == simdjson::SUCCESS;
  return from_templates > (has_statuses ? statuses.size() : 0);
}

void add_claims(json& pod, FileOwners& objects, const ClaimSinks& sinks) {
  const json claims = at(pod, "/spec/resourceClaims");
  if (!claims.is_array()) return;
  for (const json& claim : claims) {
    const std::string from = text_at(claim, "/resourceClaimTemplateName"), name = text_at(claim, "/name");
    if (from.empty() || has_status(pod, name)) continue;
    FileOwner* const made_from =
        objects.find(kTemplateGroup, kTemplateKind, text_at(pod, "/metadata/namespace"), from);
    if (made_from == nullptr) {
      sinks.missing(from);
      continue;
    }
    made_from->is_used = true;
    const std::string full_name = fmt::format("{}-{}", text_at(pod, "/metadata/name"), name);
    sinks.made(claim_of(pod, full_name, made_from->json()), *made_from);
    name_claim(pod, name, full_name);
  }
}

}  // namespace muster::loader
