// The daemon's own HTTP server: /metrics, /healthz, /readyz, and /shadow in shadow mode. Slow, many or large
// clients do not delay others, and requests for pages do not delay probes.
#pragma once

#include <memory>
#include <string>

#include "serve/health/http_guard.hpp"
#include "util/result.hpp"

namespace muster::serve {

class Metrics;
struct Vitals;

// The source of a page; text() may be called from any thread.
class TextSource {
 public:
  virtual ~TextSource() = default;
  virtual std::string text() const = 0;
};

class HttpServer {
 public:
  // All arguments are used from the server's threads. `shadow`: null if not in shadow mode.
  HttpServer(const Metrics& metrics, const Vitals& vitals, const TextSource* shadow = nullptr,
             Trouble trouble = {});
  ~HttpServer();  // closes what is open

  // Listens on an address like ":8080", "127.0.0.1:0" or "[::1]:8080". Returns the port.
  Result<int> start(const std::string& address);

 private:
  class Threads;
  const Metrics& metrics_;
  const Vitals& vitals_;
  const TextSource* const shadow_;
  const Trouble trouble_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace muster::serve
