// The daemon's own HTTP: /metrics, /healthz, /readyz, and /shadow of one. Slow, many or large clients keep
// nobody waiting.
#pragma once

#include <memory>
#include <string>

#include "util/result.hpp"

namespace muster::serve {

class Metrics;
struct Vitals;

// A page that can be asked for from any thread.
class TextSource {
 public:
  virtual ~TextSource() = default;
  virtual std::string text() const = 0;
};

class HttpServer {
 public:
  // All are read from the server's thread. `shadow`: null where there is none.
  HttpServer(const Metrics& metrics, const Vitals& vitals, const TextSource* shadow = nullptr);
  ~HttpServer();  // stops

  // ":8080", "127.0.0.1:0", "[::1]:8080". The port that was taken.
  Result<int> start(const std::string& address);

 private:
  class Thread;
  const Metrics& metrics_;
  const Vitals& vitals_;
  const TextSource* const shadow_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace muster::serve
