// Creates device claims from templates, one per pod, as a controller does in a cluster.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "document/json_fwd.hpp"
#include "loader/file_owners.hpp"

namespace muster::loader {

struct ClaimSinks {
  std::function<void(const nlohmann::json& claim, const FileOwner& made_from)> made;
  std::function<void(const std::string& name)> missing;  // called for a template that is not in the files
};

// Whether the pod lacks a claim that must be created from a template.
bool lacks_claims(Json pod);

// Passes the claims that the pod lacks to `sinks`, and adds their names to the status of the pod.
void add_claims(nlohmann::json& pod, FileOwners& objects, const ClaimSinks& sinks);

}  // namespace muster::loader
