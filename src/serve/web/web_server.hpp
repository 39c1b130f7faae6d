// The HTTP server of the API: one thread per connection, with limits on their number and duration.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "serve/health/http_guard.hpp"
#include "util/result.hpp"

namespace muster::serve {

struct WebRequest {
  std::string path;   // decoded plain text, without the query
  std::string token;  // bearer token of visible ASCII characters; "": none
};

struct WebAnswer {
  int status = 200;
  std::string body;  // JSON
};

// {"error": {"code", "message"}}
WebAnswer web_error(int status, const std::string& message);

// ":8081", "127.0.0.1:0", "[::1]:8081".
struct WebAddress {
  std::string address;
  std::string certificate, key;  // files; "": plain text
};

class WebServer {
 public:
  // Called concurrently from threads of the server; may block.
  using Handler = std::function<WebAnswer(const WebRequest&)>;
  explicit WebServer(Handler handler, Trouble trouble = {});
  ~WebServer();  // waits for requests that are being answered

  // Returns the port that the server listens on.
  Result<int> start(const WebAddress& at);
  // Closes all connections. Returns false if the handler is still busy after this time.
  bool stop(std::chrono::milliseconds most);

 private:
  class Threads;
  const Handler handler_;
  const Trouble trouble_;
  std::unique_ptr<Threads> threads_;
};

// Returns the answer to a request with this head; calls the handler only for valid requests.
WebAnswer answer_to(std::string_view head, const WebServer::Handler& handler);

// True if only this machine can reach the address: "127.0.0.1:80", "[::1]:80", "localhost:80".
bool is_loopback(const std::string& address);

}  // namespace muster::serve
