// Plugin podaffinity: prefers nodes near the pods that preferred affinity asks for, and away from those that
// preferred anti-affinity avoids. placement.md 5, 9.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_pod_affinity();

}  // namespace muster::plugins
