// Plugin topology: keeps gangs close together, in the topology domains that a job or a sub group requires or
// prefers. placement.md 8.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_topology();

}  // namespace muster::plugins
