// The scenario generators: plugins sg-nodelocalgreedy, sg-multinodegang (actions.md 9.5), sg-defragment and
// sg-exhaustive.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_node_local_greedy();
std::unique_ptr<Plugin> make_multi_node_gang();
// For searches whose victims get other places: few moves, whatever victim order says.
std::unique_ptr<Plugin> make_defragment();
// Complete where there are few combinations of victims; asked last.
std::unique_ptr<Plugin> make_exhaustive();

}  // namespace muster::plugins
