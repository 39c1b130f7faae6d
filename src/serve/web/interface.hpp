// The interface of a live cluster under /api/v1/: what is at each path, and who may see it.
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

struct InterfaceOptions {
  WebAddress at;            // address "": off
  bool asks_tokens = true;  // else whoever reaches it may read
  // A snapshot of the next cycle; nothing where none comes in time. From any thread.
  std::function<std::optional<std::string>()> of_cycle = [] { return std::nullopt; };
  Trouble trouble = {};
};

class Interface {
 public:
  Interface(Upstream upstream, Views& views, InterfaceOptions options);

  ~Interface();  // waits for requests that are being answered
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  Result<int> start() { return server_.start(options_.at); }
  // False: a request is still being answered after this time.
  bool stop(std::chrono::milliseconds most);

  // What a client gets. From any thread but the loop's. Does not throw.
  WebAnswer answer(const WebRequest& request);

 private:
  void close();
  WebAnswer page(const WebRequest& request);
  WebAnswer job(const WebRequest& request);
  WebAnswer snapshot(const WebRequest& request);
  // Nothing: may read.
  std::optional<WebAnswer> refusal(const WebRequest& request, const std::string& ns);

  const Upstream upstream_;
  Views& views_;
  const InterfaceOptions options_;
  std::atomic<bool> is_closing_ = false;
  Access access_;
  WebServer server_;
};

}  // namespace muster::serve
