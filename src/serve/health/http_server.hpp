// The daemon's own HTTP: /metrics, /healthz, /readyz.
#pragma once

#include <memory>
#include <string>

#include "util/result.hpp"

namespace muster::serve {

class Metrics;
struct Vitals;

class HttpServer {
 public:
  // Both are read from the server's threads.
  HttpServer(const Metrics& metrics, const Vitals& vitals);
  ~HttpServer();  // stops

  // ":8080", "127.0.0.1:0". The port that was taken.
  Result<int> start(const std::string& address);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::serve
