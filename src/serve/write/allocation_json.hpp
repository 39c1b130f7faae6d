// The devices of a claim in the form of resource.k8s.io/v1.
#pragma once

#include <nlohmann/json.hpp>

#include "model/device_objects.hpp"

namespace muster::serve {

nlohmann::json to_json(const AllocationObject& allocation);  // an AllocationResult

}  // namespace muster::serve
