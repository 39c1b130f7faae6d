// One client of the daemon's own HTTP: its request as far as it has come, its answer as far as it was taken.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "serve/health/listening_socket.hpp"

namespace muster::serve {

// Many connections may send the same page.
using SharedText = std::shared_ptr<const std::string>;

struct Page {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  SharedText body;
};
Page page_of(int status, std::string text);
// "Not Found".
const char* words_of(int status);

// One request for each connection. Nothing here blocks; a body is never read.
class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;
  // Limits what the system keeps for a client that reads nothing.
  explicit HttpConnection(Socket socket);

  int descriptor() const { return socket_.descriptor(); }
  bool wants_to_write() const { return state_ == State::kAnswers; }
  // The socket can be read from, or written to.
  void go_on();
  // A request is there and has no answer yet.
  bool asks() const { return state_ == State::kAsked; }
  const std::string& path() const { return path_; }
  void answer(const Page& page);
  Clock::time_point answered_at() const { return answered_at_; }
  void give_up() { state_ = State::kOver; }
  // Also where it was moved away.
  bool is_over(Clock::time_point now) const {
    return !socket_.is_open() || state_ == State::kOver || now >= deadline_;
  }

 private:
  enum class State { kReads, kAsked, kAnswers, kDrains, kOver };
  void read_head();
  void write_answer();
  void drain();
  void wait_for(State state, Clock::duration most);

  Socket socket_;
  State state_ = State::kReads;
  Clock::time_point deadline_, answered_at_;
  std::string head_, path_;  // the head of the request, then that of the answer
  SharedText body_;
  bool wants_body_ = true;
  std::size_t written_ = 0, drained_ = 0;
};

}  // namespace muster::serve
