// What several commands read: a configuration and a cluster from files, with all that is wrong told to the
// user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "engine/policy.hpp"
#include "manifest/manifest.hpp"
#include "model/cluster.hpp"

namespace muster::cli {

struct InputOptions {
  std::vector<std::string> paths;
  std::string config;  // "": the default configuration
  std::string now;     // "": the clock's
  bool kai_exact = false;
  bool strict = false;  // warnings are errors
};

struct Inputs {
  Config config;
  Policy policy;
  TimePoint now{};
  Cluster cluster;
  Findings findings;
};

// Prints errors and warnings to standard error. Nothing, and `exit_code` set, where the run can not go on.
std::optional<Inputs> read_inputs(const InputOptions& options, int& exit_code);

}  // namespace muster::cli
