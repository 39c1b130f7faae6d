// Which GPU this container was given.
#pragma once

#include <string>

namespace muster::cli {

// The UUID that NVIDIA's management library has for the first device in sight; else what the variable
// NVIDIA_VISIBLE_DEVICES says. "": no device is in sight.
std::string own_gpu();

}  // namespace muster::cli
