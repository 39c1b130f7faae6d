// Converts parts of the model to the form that they have in API objects.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/job.hpp"

namespace muster {
struct AllocationObject;
}

namespace muster::answers {

// The devices of a claim: an AllocationResult of resource.k8s.io/v1.
nlohmann::json to_json(const AllocationObject& allocation);

// Amounts as quantities by resource name. Includes zeros, because a patch leaves omitted fields unchanged.
nlohmann::json to_json(const Charge& charge);
nlohmann::json to_json(const Shares& shares);

// True if the claim already has devices, and these differ from `allocation`.
bool has_other_devices(const nlohmann::json& claim, const AllocationObject& allocation);
// Removes the pod from the users of a claim; without users the claim loses its devices. Returns false if the
// pod is not a user.
bool remove_user(nlohmann::json& claim, const std::string& uid);

// The annotation with the effective preemptibility of a job.
inline constexpr const char* kPreemptibility = "muster.dev/preemptibility";
// The value and its source, as "non-preemptible (priority)".
std::string preemptibility_text(const Job& job);

std::string name_of(Preemptibility preemptibility);
std::string name_of(PreemptibilitySource source);

}  // namespace muster::answers
