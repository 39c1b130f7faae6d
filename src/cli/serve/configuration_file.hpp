// The configuration of `muster serve`: its file with the flags over it, at the start and when it changes.
#pragma once

#include <string>
#include <vector>

#include "cli/serve/serve_flags.hpp"
#include "serve/reload.hpp"

namespace muster::cli {

struct ServeConfiguration {
  Config config;
  Policy policy;
  std::vector<Error> errors;  // the rest counts only where there are none
  std::vector<Error> warnings;
  std::vector<std::string> notes;
};

ServeConfiguration read_configuration(const ServeFlags& flags);

// Keys that differ and that a running scheduler can not change: they shape what it has read already.
std::vector<std::string> keys_for_the_next_start(const Config& running, const Config& wanted);

// The file as the daemon asks for it; `running` is what it was started with.
serve::ConfigurationFile configuration_file(const ServeFlags& flags, const Config& running);

}  // namespace muster::cli
