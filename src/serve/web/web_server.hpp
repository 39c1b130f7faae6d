// HTTP for the interface of a live cluster: a thread per connection, few of them, and none for long.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "util/result.hpp"

namespace muster::serve {

struct WebRequest {
  std::string path;   // decoded, without the query
  std::string token;  // of the bearer; "": none
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
  explicit WebServer(Handler handler);
  ~WebServer();  // waits for those that are being answered

  // The port that was taken.
  Result<int> start(const WebAddress& at);

 private:
  class Threads;
  const Handler handler_;
  std::unique_ptr<Threads> threads_;
};

// Nobody outside this machine reaches the address.
bool is_loopback(const std::string& address);

}  // namespace muster::serve
