// Device claims (DRA): decides which claims can be served on which nodes, and by which devices.
// placement.md 10.
#pragma once

#include <memory>
#include <string>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

// Features of device claims that KAI leaves disabled.
struct DeviceRules {
  bool admin_access = true;  // claims with admin access are served
  bool alternatives = true;  // requests with alternatives are served
  bool taints = true;        // taints of devices are respected
};

struct DynamicResourcesOptions {
  bool enabled = true;
  DeviceRules rules;
  std::string queue_label = "kai.scheduler/queue";  // names the queue of a claim that pods share
};

std::unique_ptr<Plugin> make_dynamic_resources(DynamicResourcesOptions options);

}  // namespace muster::plugins
