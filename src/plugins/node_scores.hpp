// Scores nodes by their free resources: plugins nodeavailability, resourcetype, nominatednode,
// gpusharingorder, nodeplacement; and devices: gpupack, gpuspread. placement.md 5, 6.2.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

enum class Strategy { kPack, kSpread };

struct NodePlacementOptions {
  Strategy gpu = Strategy::kPack;
  Strategy cpu = Strategy::kPack;  // for tasks that need no GPU
};

std::unique_ptr<Plugin> make_node_availability();  // nodes where the task can start at once
std::unique_ptr<Plugin> make_resource_type();      // CPU tasks to nodes without GPUs
std::unique_ptr<Plugin> make_nominated_node();     // the node that the pod's status names
std::unique_ptr<Plugin> make_gpu_sharing_order();  // shares to nodes with a shared GPU that has room
std::unique_ptr<Plugin> make_node_placement(NodePlacementOptions options);
std::unique_ptr<Plugin> make_gpu_pack();
std::unique_ptr<Plugin> make_gpu_spread();

}  // namespace muster::plugins
