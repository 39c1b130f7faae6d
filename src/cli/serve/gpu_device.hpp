// Finds the GPU assigned to this container.
#pragma once

#include <string>

namespace muster::cli {

// The UUID that NVIDIA's management library reports for the first visible device, otherwise the first device
// in the variable NVIDIA_VISIBLE_DEVICES. Returns "" if no device is visible.
std::string assigned_gpu();

}  // namespace muster::cli
