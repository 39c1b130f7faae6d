// Nodes and shared devices by what is left of them for typical pods: plugin fragmentation. quality.md 1.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct FragmentationOptions {
  // Points of a node's score for each GPU that stays useful: so many that a ten-thousandth of a GPU outweighs
  // what all other scores of shape and node can give. 0: the plugin does nothing.
  double weight = 1e9;
};

std::unique_ptr<Plugin> make_fragmentation(FragmentationOptions options);

}  // namespace muster::plugins
