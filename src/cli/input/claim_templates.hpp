// Claims of devices that a controller makes from templates when a pod comes: one for each pod.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/input/file_owners.hpp"
#include "document/json_fwd.hpp"

namespace muster::cli {

struct ClaimSinks {
  std::function<void(const nlohmann::json& claim, const FileOwner& made_from)> made;
  std::function<void(const std::string& name)> missing;  // of a template that is not in the files
};

// Whether a claim of the pod is still to be made.
bool lacks_claims(Json pod);

// Has the claims made that the pod lacks, and names them in its status.
void add_claims(nlohmann::json& pod, FileOwners& objects, const ClaimSinks& sinks);

}  // namespace muster::cli
