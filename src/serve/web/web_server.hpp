// HTTP for the interface of a live cluster: a thread per connection, few of them, and none for long.
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
  std::string path;   // decoded, without the query: plain text
  std::string token;  // of the bearer: visible ASCII; "": there is none
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
  std::string certificate, key;  // files; "": in the clear
};

class WebServer {
 public:
  // Called from threads of the server, several at once; may wait.
  using Handler = std::function<WebAnswer(const WebRequest&)>;
  explicit WebServer(Handler handler, Trouble trouble = {});
  ~WebServer();  // waits for requests that are being answered

  // The port that was taken.
  Result<int> start(const WebAddress& at);
  // Closes all connections. False: the handler is still busy after this time.
  bool stop(std::chrono::milliseconds most);

 private:
  class Threads;
  const Handler handler_;
  const Trouble trouble_;
  std::unique_ptr<Threads> threads_;
};

// The answer to a request with this head: that of the handler, if the request is one that it may see.
WebAnswer answer_to(std::string_view head, const WebServer::Handler& handler);

// Only this machine reaches the address: "127.0.0.1:80", "[::1]:80", "localhost:80".
bool is_loopback(const std::string& address);

}  // namespace muster::serve
