// Head of the request, answer, and a polite end.
#include "serve/health/http_connection.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

namespace muster::serve {
namespace {

using std::chrono::seconds;

constexpr std::size_t kLongestHead = 8 << 10;
constexpr auto kForTheHead = seconds(5), kForTheAnswer = seconds(10), kForTheEnd = seconds(1);
// What a client may still send after its answer; then it is cut off.
constexpr std::size_t kMostDrained = 256 << 10;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// "GET /metrics?x HTTP/1.1"
struct RequestLine {
  std::string_view method, path, version;
  explicit RequestLine(std::string_view line) {
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    if (first == line.npos || last == first) return;
    method = line.substr(0, first);
    path = line.substr(first + 1, last - first - 1);
    path = path.substr(0, path.find('?'));
    version = line.substr(last + 1);
  }
  bool is_http() const { return version.starts_with("HTTP/1.") && path.starts_with('/'); }
};

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
    default:
      return "Service Unavailable";
  }
}

HttpConnection::HttpConnection(Socket socket) : socket_(std::move(socket)) {
  wait_for(State::kAsks, kForTheHead);
}

void HttpConnection::wait_for(State state, Clock::duration most) {
  state_ = state;
  deadline_ = Clock::now() + most;
}

void HttpConnection::go_on(const Pages& pages) {
  if (state_ == State::kAsks) read_head(pages);
  if (state_ == State::kAnswers) write_answer();
  if (state_ == State::kDrains) drain();
}

void HttpConnection::read_head(const Pages& pages) {
  char buffer[2048];
  const ssize_t n = ::recv(descriptor(), buffer, sizeof(buffer), 0);
  if (n < 0 && would_block()) return;
  if (n <= 0) {
    state_ = State::kOver;
    return;
  }
  text_.append(buffer, static_cast<std::size_t>(n));
  if (text_.find("\r\n\r\n") == std::string::npos) {
    if (text_.size() > kLongestHead) answer({.status = 431, .body = "the request is too long\n"});
    return;
  }
  const std::string head = std::move(text_);
  const RequestLine line(std::string_view(head).substr(0, head.find("\r\n")));
  if (!line.is_http()) return answer({.status = 400, .body = "that is no HTTP\n"});
  if (line.method != "GET" && line.method != "HEAD")
    return answer({.status = 405, .body = "GET and HEAD only\n"});
  answer(pages(line.path), line.method == "GET");
}

void HttpConnection::answer(const Page& page, bool with_body) {
  text_ = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n", page.status,
      words_of(page.status), page.type, page.body.size(), page.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  if (with_body) text_ += page.body;
  wait_for(State::kAnswers, kForTheAnswer);
}

void HttpConnection::write_answer() {
  const ssize_t n =
      ::send(descriptor(), text_.data() + written_, text_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && would_block()) return;
  if (n < 0) {
    state_ = State::kOver;
    return;
  }
  written_ += static_cast<std::size_t>(n);
  if (written_ < text_.size()) return;
  ::shutdown(descriptor(), SHUT_WR);
  wait_for(State::kDrains, kForTheEnd);
}

// Closed while something unread waits, the connection would be reset, and the answer might be lost.
void HttpConnection::drain() {
  char buffer[16 << 10];
  const ssize_t n = ::recv(descriptor(), buffer, sizeof(buffer), MSG_DONTWAIT);
  if (n < 0 && would_block()) return;
  drained_ += n > 0 ? static_cast<std::size_t>(n) : 0;
  if (n <= 0 || drained_ > kMostDrained) state_ = State::kOver;
}

}  // namespace muster::serve
