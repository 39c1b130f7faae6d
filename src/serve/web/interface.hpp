// The HTTP API of a live cluster under /api/v1/: its paths and their access control.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "serve/web/access.hpp"
#include "serve/web/upstream.hpp"
#include "serve/web/views.hpp"
#include "serve/web/web_server.hpp"

namespace muster::serve {

struct HttpApiOptions {
  WebAddress at;            // address "": off
  bool asks_tokens = true;  // false: every client that reaches the API may read
  // Returns a snapshot of the next cycle, or nullopt if none comes in time. Called from any thread.
  std::function<std::optional<std::string>()> of_cycle = [] { return std::nullopt; };
  Trouble trouble = {};
};

class Interface {
 public:
  Interface(Upstream upstream, Views& views, HttpApiOptions options);

  ~Interface();  // waits for requests that are being answered
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  Result<int> start() { return server_.start(options_.at); }
  // Returns false if a request is still being answered after this time.
  bool stop(std::chrono::milliseconds most);

  // Returns the answer for a client. Does not throw. May be called from any thread except the loop's.
  WebAnswer answer(const WebRequest& request);

 private:
  void close();
  WebAnswer page(const WebRequest& request);
  WebAnswer job(const WebRequest& request);
  WebAnswer snapshot(const WebRequest& request);
  // Returns the refusal, or nullopt if the client may read.
  std::optional<WebAnswer> refusal(const WebRequest& request, const std::string& ns);

  const Upstream upstream_;
  Views& views_;
  const HttpApiOptions options_;
  std::atomic<bool> is_closing_ = false;
  Access access_;
  WebServer server_;
};

}  // namespace muster::serve
