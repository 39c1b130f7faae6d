// Devices by claim (DRA): which claims can be served on which nodes, and by which devices. placement.md 10.
#pragma once

#include <memory>
#include <string>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

// What KAI leaves switched off.
struct DeviceRules {
  bool admin_access = true;  // claims that only watch are served, too
  bool alternatives = true;  // so are requests that name several ways
  bool taints = true;        // of devices keep those away who do not tolerate them
};

struct DynamicResourcesOptions {
  bool enabled = true;
  DeviceRules rules;
  std::string queue_label = "kai.scheduler/queue";  // whose queue a claim that pods share belongs to
};

std::unique_ptr<Plugin> make_dynamic_resources(DynamicResourcesOptions options);

}  // namespace muster::plugins
