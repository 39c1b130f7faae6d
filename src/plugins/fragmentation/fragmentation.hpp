// Plugin fragmentation: scores nodes and shared devices by the GPUs that typical pods could still use.
// docs/placement.md.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct FragmentationOptions {
  // Points of a node's score for each GPU that stays useful. The default is so large that a ten-thousandth of
  // a GPU outweighs all other scores of shape and node. 0 switches the plugin off.
  double weight = 1e9;
};

std::unique_ptr<Plugin> make_fragmentation(FragmentationOptions options);

}  // namespace muster::plugins
