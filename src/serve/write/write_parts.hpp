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

struct WriteParts {
  kube::ApiClient& client;
  Knowledge& knowledge;
  Events& events;
  Metrics& metrics;
  Log& log;
};

}  // namespace muster::serve
