// The flags of `muster serve`: KAI-Scheduler's under the same names, and its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "serve/daemon.hpp"

namespace CLI {
class App;
}

namespace muster::cli {

struct ServeFlags {
  std::string kubeconfig, context, config_file, queue_file;
  std::string binding = "direct", eviction = "delete", pod_grouper = "auto", dry_run, web_auth = "token";
  bool kai_exact = false;
  serve::DaemonOptions daemon;
  // Flags that override the configuration file, as functions to apply to its values.
  std::vector<std::function<void(SchedulerParams&)>> overrides;
  // Names of given flags that have no effect.
  std::vector<std::string> ignored;
};

void add_serve_flags(CLI::App& command, ServeFlags& flags);

}  // namespace muster::cli
