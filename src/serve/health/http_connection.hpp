// One client of the daemon's own HTTP: its request as far as it has come, its answer as far as it was taken.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "serve/health/listening_socket.hpp"

namespace muster::serve {

struct Page {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  std::string body;
};
// "Not Found".
const char* words_of(int status);

// The page at a path.
using Pages = std::function<Page(std::string_view path)>;

// One request for each connection. Nothing here blocks; a body is never read.
class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;
  explicit HttpConnection(Socket socket);

  int descriptor() const { return socket_.descriptor(); }
  bool wants_to_write() const { return state_ == State::kAnswers; }
  // The socket can be read from, or written to.
  void go_on(const Pages& pages);
  bool is_over(Clock::time_point now) const { return state_ == State::kOver || now >= deadline_; }

 private:
  enum class State { kAsks, kAnswers, kDrains, kOver };
  void read_head(const Pages& pages);
  void answer(const Page& page, bool with_body = true);
  void write_answer();
  void drain();
  void wait_for(State state, Clock::duration most);

  Socket socket_;
  State state_ = State::kAsks;
  Clock::time_point deadline_;
  std::string text_;  // the head of the request, then the answer
  std::size_t written_ = 0, drained_ = 0;
};

}  // namespace muster::serve
