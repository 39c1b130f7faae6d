// The parts of the daemon that are used by everything that writes to the API server.
#pragma once

namespace muster::kube {
class ApiClient;
}

namespace muster::serve {

class Events;
class ObservedState;
class Log;
class Metrics;
class WriteBackpressure;

struct WriteServices {
  kube::ApiClient& client;
  ObservedState& knowledge;
  Events& events;
  Metrics& metrics;
  Log& log;
  const WriteBackpressure& rush;
};

}  // namespace muster::serve
