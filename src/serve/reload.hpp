// Applies a changed configuration without a restart. An invalid one changes nothing and is reported.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "engine/cycle/policy.hpp"
#include "kube/async.hpp"
#include "util/time.hpp"

namespace muster::serve {

struct Services;

// The content of a configuration file. The other members are valid only if there are no errors.
struct ConfigurationRead {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<std::string> after_restart;  // changed keys that take effect only after a restart
  Policy policy;
  std::string config;  // what the policy was made from, as JSON
  Duration schedule_period{};
};

struct ConfigurationFile {
  std::string path;  // "": no file
  std::function<ConfigurationRead()> read;
};

// Checks the file periodically. It compares the content, since a mounted ConfigMap changes by replacing a
// symbolic link.
class Reload {
 public:
  using Adopt = std::function<void(ConfigurationRead)>;
  // Calls `adopt` with each valid configuration.
  Reload(Services& parts, Adopt adopt);

  // Ends when the loop stops.
  kube::Async<void> run();

 private:
  void check();
  void refuse(const ConfigurationRead& read);
  void take(ConfigurationRead read);
  void record_event(bool is_warning, const std::string& reason, const std::string& message);

  Services& p_;
  const Adopt adopt_;
  std::string seen_;  // the content when the file was last read
};

}  // namespace muster::serve
