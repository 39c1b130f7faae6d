// What everyone needs who writes to the API server.
#pragma once

namespace muster::kube {
class ApiClient;
}

namespace muster::serve {

class Events;
class Knowledge;
class Log;
class Metrics;
class Rush;

struct WriteParts {
  kube::ApiClient& client;
  Knowledge& knowledge;
  Events& events;
  Metrics& metrics;
  Log& log;
  const Rush& rush;
};

}  // namespace muster::serve
