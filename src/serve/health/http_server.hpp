// The daemon's own HTTP: /metrics, /healthz, /readyz. Slow, many or large clients keep nobody waiting.
#pragma once

#include <memory>
#include <string>

#include "util/result.hpp"

namespace muster::serve {

class Metrics;
struct Vitals;

class HttpServer {
 public:
  // Both are read from the server's thread.
  HttpServer(const Metrics& metrics, const Vitals& vitals);
  ~HttpServer();  // stops

  // ":8080", "127.0.0.1:0", "[::1]:8080". The port that was taken.
  Result<int> start(const std::string& address);

 private:
  class Thread;
  const Metrics& metrics_;
  const Vitals& vitals_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace muster::serve
