// A changed configuration takes effect without a restart; a bad one changes nothing, and is told of.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "engine/cycle/policy.hpp"
#include "kube/async.hpp"
#include "util/time.hpp"

namespace muster::serve {

struct Parts;

// What a configuration file says now. The rest counts only where there are no errors.
struct ConfigurationRead {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<std::string> after_restart;  // keys that changed and are heeded at the next start only
  Policy policy;
  std::string config;  // what it was made from, as JSON
  Duration schedule_period{};
};

struct ConfigurationFile {
  std::string path;  // "": there is none
  std::function<ConfigurationRead()> read;
};

// Looks at the file now and then. ConfigMaps that are mounted change by a link that is put elsewhere: what
// counts is what the file holds.
class Reload {
 public:
  using Adopt = std::function<void(ConfigurationRead)>;
  // `adopt` is given each configuration that is good.
  Reload(Parts& parts, Adopt adopt);

  // Until the loop stops.
  kube::Async<void> run();

 private:
  void look();
  void refuse(const ConfigurationRead& read);
  void take(ConfigurationRead read);
  void tell(bool is_warning, const std::string& reason, const std::string& message);

  Parts& p_;
  const Adopt adopt_;
  std::string seen_;  // what the file held when it was last read
};

}  // namespace muster::serve
