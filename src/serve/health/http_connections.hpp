// A thread that serves connections side by side and waits for none of them.
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
  // Called on the thread for each request: answers it, or moves the connection away.
  using Asked = std::function<void(HttpConnection&)>;

  // `listener`: not open where connections only come by take().
  HttpConnections(Socket listener, Asked asked, Trouble trouble);
  ~HttpConnections();  // closes what is open
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  // From any thread: serves the connection from now on. False, and it stays where it is: too many wait for
  // that.
  bool take(HttpConnection& connection);

  // For `asked`: false where so many answers are under way that another has to be refused. An answer that has
  // taken longer than others need gives way.
  bool may_begin_answer();

 private:
  void run();
  // False: it is over.
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
