// The flags of `muster serve`: KAI-Scheduler's by name, and ours.
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
  // Flags that were given and win over the file, to be carried out on what it says.
  std::vector<std::function<void(SchedulerParams&)>> over_file;
  // Flags that were given and mean nothing here.
  std::vector<std::string> meaningless;
};

void add_serve_flags(CLI::App& command, ServeFlags& flags);

}  // namespace muster::cli
