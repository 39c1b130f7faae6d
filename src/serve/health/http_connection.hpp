// A connection of the daemon's own HTTP server: the request received so far and the answer sent so far.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "serve/health/listening_socket.hpp"

namespace muster::serve {

// Shared, since many connections may send the same page.
using SharedText = std::shared_ptr<const std::string>;

struct Page {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  SharedText body;
};
Page page_of(int status, std::string text);
// The reason phrase of a status, such as "Not Found".
const char* words_of(int status);

// Serves one request per connection. No call blocks; request bodies are never read.
class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;
  // Limits the send buffer, for clients that read nothing.
  explicit HttpConnection(Socket socket);

  int descriptor() const { return socket_.descriptor(); }
  bool wants_to_write() const { return state_ == State::kAnswers; }
  // To be called when the socket is readable or writable.
  void go_on();
  // True if there is a request without an answer yet.
  bool asks() const { return state_ == State::kAsked; }
  const std::string& path() const { return path_; }
  void answer(const Page& page);
  Clock::time_point answered_at() const { return answered_at_; }
  void give_up() { state_ = State::kOver; }
  // Also true after the connection was moved away.
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
