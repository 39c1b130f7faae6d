// One number per accounted resource, in the order of model/resources.hpp: cores, bytes, GPUs.
#pragma once

#include <array>
#include <map>
#include <string>

namespace muster {

using UsageAmounts = std::array<double, 3>;
// The past use by queue name.
using QueueUsage = std::map<std::string, UsageAmounts>;

}  // namespace muster
