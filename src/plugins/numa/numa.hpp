// Plugin numa: predicts whether the kubelet's NUMA alignment admits the pod on the node, and over how many
// zones the pod would spread. placement.md 10. Off unless the configuration names it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct NumaOptions {
  std::vector<std::string> ignored;  // resources that are reported by zone but not aligned
  // If true, the free amount of a zone is its capacity less what the known pods use; otherwise what the node
  // reports.
  bool reconstruct_available = true;
};

std::unique_ptr<Plugin> make_numa(NumaOptions options);

}  // namespace muster::plugins
