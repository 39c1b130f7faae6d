// Events: first one at once, the same again as a count; no object floods the API server, nor do all together.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "kube/api_client.hpp"
#include "util/recent.hpp"

namespace muster::serve {

class Log;

struct ObjectReference {
  std::string api_version, kind, ns, name, uid;
};

struct Event {
  ObjectReference about;
  bool is_warning = false;
  std::string reason, message;
  std::map<std::string, std::string> annotations = {};
};

class Events {
 public:
  // The same is written again after so long.
  Events(kube::ApiClient& client, Log& log, std::string component,
         std::chrono::nanoseconds repeat = std::chrono::minutes(1));
  void record(Event event);
  // How many events and objects: of those that came last.
  std::size_t remembered() const { return sent_.size() + allowances_.size(); }

 private:
  struct Sent {
    std::string name;
    int count = 1;
    kube::Clock::time_point at{};
  };
  // Events that may be sent: `most` at once, and so many a second.
  struct Allowance {
    double most, per_second, tokens = most;
    kube::Clock::time_point at = kube::Clock::now();
    bool take(double leave = 0);
  };

  bool allows(const std::string& object, bool is_warning);
  kube::Async<void> create(Event event, Sent sent, std::string time);
  kube::Async<void> repeat(Event event, Sent sent, std::string time);

  kube::ApiClient& client_;
  Log& log_;
  const std::string component_;
  const std::chrono::nanoseconds repeat_;
  Recent<Sent> sent_;
  Recent<Allowance> allowances_;  // by object
  Allowance of_all_;
  std::uint64_t last_name_;
};

}  // namespace muster::serve
