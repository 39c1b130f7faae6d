// Makes the scenario generators: plugins sg-nodelocalgreedy, sg-multinodegang (actions.md 9.5), sg-defragment
// and sg-exhaustive.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_node_local_greedy();
std::unique_ptr<Plugin> make_multi_node_gang();
// For searches whose victims move to other nodes: proposes few moves, and ignores the victim order.
std::unique_ptr<Plugin> make_defragment();
// Tries every combination of victims if there are few. Used last.
std::unique_ptr<Plugin> make_exhaustive();

}  // namespace muster::plugins
