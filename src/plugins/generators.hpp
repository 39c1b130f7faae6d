// The scenario generators: plugins sg-nodelocalgreedy and sg-multinodegang. actions.md 9.5.
#pragma once

#include <memory>

#include "engine/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_node_local_greedy();
std::unique_ptr<Plugin> make_multi_node_gang();

}  // namespace muster::plugins
