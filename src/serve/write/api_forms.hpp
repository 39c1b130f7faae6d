// Things of the model in the form that objects of the API give them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/job.hpp"

namespace muster {
struct AllocationObject;
}

namespace muster::serve {

// The devices of a claim: an AllocationResult of resource.k8s.io/v1.
nlohmann::json to_json(const AllocationObject& allocation);

// Amounts as quantities by name, those of nothing included: a patch leaves what it does not name.
nlohmann::json to_json(const Charge& charge);
nlohmann::json to_json(const Shares& shares);

// The claim has devices already, and others than these: somebody else gave them.
bool has_other_devices(const nlohmann::json& claim, const AllocationObject& allocation);
// Takes the pod off the users of a claim; the last one gives its devices back. False where it is none of
// them.
bool remove_user(nlohmann::json& claim, const std::string& uid);

// The annotation that says what a job is taken for.
inline constexpr const char* kPreemptibility = "muster.dev/preemptibility";
// "non-preemptible (priority)": the value, and where it was found.
std::string preemptibility_text(const Job& job);

std::string name_of(Preemptibility preemptibility);
std::string name_of(PreemptibilitySource source);

}  // namespace muster::serve
