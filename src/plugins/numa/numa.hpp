// NUMA alignment: will the kubelet admit the pod on the node, and over how many zones would it spread?
// placement.md 10. Only where the configuration names it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct NumaOptions {
  std::vector<std::string> ignored;  // resources that are reported by zone and not aligned
  // What is free in a zone is what it has less what pods are known to hold; else what its node reports.
  bool reconstruct_available = true;
};

std::unique_ptr<Plugin> make_numa(NumaOptions options);

}  // namespace muster::plugins
