// Prefers nodes near the pods that preferred affinity asks for, away from those that anti-affinity avoids.
// Plugin podaffinity; placement.md 5, 9.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_pod_affinity();

}  // namespace muster::plugins
