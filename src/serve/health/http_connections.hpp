// A thread that serves many connections concurrently and never blocks on one of them.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/health/http_connection.hpp"
#include "serve/health/http_guard.hpp"

namespace muster::serve {

class HttpConnections {
 public:
  // Called on the thread for each request. Must answer it or move the connection away.
  using Asked = std::function<void(HttpConnection&)>;

  // `listener` is not open if all connections come from take().
  HttpConnections(Socket listener, Asked asked, Trouble trouble);
  ~HttpConnections();  // closes what is open
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  // Serves the connection from now on. Returns false and leaves it with the caller if too many are waiting.
  // To be called from any thread.
  bool take(HttpConnection& connection);

  // Called by `asked`. Returns false if too many answers are in progress to begin another. Before that, drops
  // an answer that is unusually slow.
  bool may_begin_answer();

 private:
  void run();
  // Returns false at the end.
  bool round();
  void add(HttpConnection connection);
  void add_taken();
  void accept_all();
  void serve(HttpConnection& connection, bool is_ready);

  const Socket listener_;
  const Asked asked_;
  const Trouble trouble_;
  const Socket wake_;
  std::deque<HttpConnection> connections_;  // the oldest first; for the thread alone
  std::mutex mutex_;
  std::vector<HttpConnection> taken_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace muster::serve
