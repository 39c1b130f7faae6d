// Writes events. Repetitions of an event only raise its count, and rates are limited per object and in total,
// so that events never flood the API server.
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
  // A repeated event is written again at most once per `repeat`.
  Events(kube::ApiClient& client, Log& log, std::string component,
         std::chrono::nanoseconds repeat = std::chrono::minutes(1));
  void record(Event event);
  // The number of events and objects kept in memory; only the most recent ones are.
  std::size_t remembered() const { return sent_.size() + allowances_.size(); }

 private:
  struct Sent {
    std::string name;
    int count = 1;
    kube::Clock::time_point at{};
  };
  // A token bucket: `most` events at once, `per_second` in the long run.
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
