// Makes the scenario generators: plugins sg-nodelocalgreedy, sg-multinodegang (actions.md 9.5), sg-defragment
// and sg-exhaustive.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_node_local_greedy();
std::unique_ptr<Plugin> make_multi_node_gang();
// For searches whose victims are placed elsewhere: few moves, whatever the victim order.
std::unique_ptr<Plugin> make_defragment();
// Complete where there are few combinations of victims. Used last.
std::unique_ptr<Plugin> make_exhaustive();

}  // namespace muster::plugins
