// The daemon's own HTTP: /metrics, /healthz, /readyz.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "util/result.hpp"

namespace muster::serve {

// What a probe is told; called from the server's threads.
struct Pages {
  std::function<std::string()> metrics;
  std::function<std::string()> not_alive, not_ready;  // why, or "" where all is well
};

class HttpServer {
 public:
  explicit HttpServer(Pages pages);
  ~HttpServer();  // stops

  // ":8080", "127.0.0.1:0". The port that was taken.
  Result<int> start(const std::string& address);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::serve
