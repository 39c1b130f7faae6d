// The configuration of `muster serve`: its file overridden by flags, at the start and when the file changes.
#pragma once

#include <string>
#include <vector>

#include "cli/serve/serve_flags.hpp"
#include "serve/reload.hpp"

namespace muster::cli {

struct ServeConfiguration {
  Config config;
  Policy policy;
  std::vector<Error> errors;  // if not empty, the other members are not valid
  std::vector<Error> warnings;
  std::vector<std::string> notes;
};

ServeConfiguration read_configuration(const ServeFlags& flags);

// The keys that differ but need a restart, because they determine how objects are read and written.
std::vector<std::string> keys_that_need_restart(const Config& running, const Config& wanted);

// The configuration file in the form that the daemon reloads; `running` is the configuration at the start.
serve::ConfigurationFile configuration_file(const ServeFlags& flags, const Config& running);

}  // namespace muster::cli
