// Reads the head of the request, sends the answer, and closes the connection cleanly.
#include "serve/health/http_connection.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include "serve/health/http_request.hpp"

namespace muster::serve {
namespace {

using std::chrono::seconds;

constexpr std::size_t kLongestHead = 8 << 10;
constexpr int kSendBuffer = 128 << 10;  // the system doubles it
constexpr auto kHeadTimeout = seconds(5), kSendTimeout = seconds(10), kEndTimeout = seconds(1);
// The most bytes that a client may still send after its answer before the connection is closed.
constexpr std::size_t kMostDrained = 256 << 10;

const SharedText& nothing() {
  static const SharedText text = std::make_shared<const std::string>();
  return text;
}

}  // namespace

const char* words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    default:
      return "Service Unavailable";
  }
}

Page page_of(int status, std::string text) {
  return {.status = status, .body = std::make_shared<const std::string>(std::move(text))};
}

HttpConnection::HttpConnection(Socket socket) : socket_(std::move(socket)), body_(nothing()) {
  ::setsockopt(descriptor(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof(kSendBuffer));
  wait_for(State::kReads, kHeadTimeout);
}

void HttpConnection::wait_for(State state, Clock::duration most) {
  state_ = state;
  deadline_ = Clock::now() + most;
}

void HttpConnection::go_on() {
  if (state_ == State::kReads) read_head();
  if (state_ == State::kAnswers) write_answer();
  if (state_ == State::kDrains) drain();
}

void HttpConnection::read_head() {
  char buffer[2048];
  const ssize_t n = ::recv(descriptor(), buffer, sizeof(buffer), MSG_DONTWAIT);
  if (n < 0 && would_block()) return;
  if (n <= 0) return give_up();
  head_.append(buffer, static_cast<std::size_t>(n));
  if (head_.find("\r\n\r\n") == std::string::npos) {
    if (head_.size() > kLongestHead) answer(page_of(431, "the request is too long\n"));
    return;
  }
  const auto read = read_request(head_);
  if (const auto* refusal = std::get_if<HttpRefusal>(&read))
    return answer(page_of(refusal->status, refusal->message + "\n"));
  const HttpRequest& request = std::get<HttpRequest>(read);
  if (request.method != "GET" && request.method != "HEAD")
    return answer(page_of(405, "method not allowed; use GET or HEAD\n"));
  wants_body_ = request.method == "GET";
  path_ = request.path;
  state_ = State::kAsked;
}

void HttpConnection::answer(const Page& page) {
  head_ = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n", page.status,
      words_of(page.status), page.type, page.body->size(), page.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  body_ = wants_body_ ? page.body : nothing();
  answered_at_ = Clock::now();
  wait_for(State::kAnswers, kSendTimeout);
}

void HttpConnection::write_answer() {
  const bool is_in_head = written_ < head_.size();
  const std::string_view left = is_in_head ? std::string_view(head_).substr(written_)
                                           : std::string_view(*body_).substr(written_ - head_.size());
  const ssize_t n = ::send(descriptor(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && would_block()) return;
  if (n < 0) return give_up();
  written_ += static_cast<std::size_t>(n);
  if (written_ < head_.size() + body_->size()) return;
  ::shutdown(descriptor(), SHUT_WR);
  wait_for(State::kDrains, kEndTimeout);
}

// Reads what the client still sends: closing a socket with unread data resets the connection, and the answer
// might be lost.
void HttpConnection::drain() {
  char buffer[16 << 10];
  const ssize_t n = ::recv(descriptor(), buffer, sizeof(buffer), MSG_DONTWAIT);
  if (n < 0 && would_block()) return;
  drained_ += n > 0 ? static_cast<std::size_t>(n) : 0;
  if (n <= 0 || drained_ > kMostDrained) state_ = State::kOver;
}

}  // namespace muster::serve
