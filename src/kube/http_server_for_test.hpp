// An HTTP server on the loopback address that sends the answers of a test and records its requests.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace muster::kube {

class HttpServerForTest {
 public:
  struct Request {
    std::string method, path;
    std::string head;  // the request line and all headers
    // The value of the header "Authorization"; "" if there is none.
    std::string authorization() const {
      constexpr std::string_view kName = "\r\nAuthorization: ";
      const std::size_t at = head.find(kName);
      if (at == std::string::npos) return "";
      const std::size_t start = at + kName.size();
      return head.substr(start, head.find("\r\n", start) - start);
    }
  };
  struct Answer {
    int status = 200;
    std::string body;
    std::string headers = {};  // complete lines, each with its line end
  };
  // Called on one thread per connection.
  using Handler = std::function<Answer(const Request&)>;

  explicit HttpServerForTest(Handler handler)
      : handler_(std::move(handler)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(socket_, 128);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~HttpServerForTest() {
    ::shutdown(socket_, SHUT_RDWR);
    accepting_.join();
    for (std::thread& conversation : conversations_) conversation.join();
    ::close(socket_);
  }
  HttpServerForTest(const HttpServerForTest&) = delete;
  HttpServerForTest& operator=(const HttpServerForTest&) = delete;

  const std::string& url() const { return url_; }
  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    for (;;) {
      const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      conversations_.emplace_back([this, connection] { converse(connection); });
    }
  }

  void converse(int connection) {
    const Request request = read_request(connection);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const Answer answer = handler_(request);
    const std::string text = "HTTP/1.1 " + std::to_string(answer.status) +
                             " Status\r\nContent-Length: " + std::to_string(answer.body.size()) +
                             "\r\nConnection: close\r\n" + answer.headers + "\r\n" + answer.body;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
    }
    ::close(connection);
  }

  static Request read_request(int connection) {
    std::string head;
    for (char byte = 0; !head.ends_with("\r\n\r\n") && ::recv(connection, &byte, 1, 0) == 1;) head += byte;
    const std::size_t method = head.find(' '), path = head.find(' ', method + 1);
    if (path == std::string::npos) return {};
    return {head.substr(0, method), head.substr(method + 1, path - method - 1), head};
  }

  const Handler handler_;
  const int socket_;
  std::string url_;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::vector<std::thread> conversations_;
  std::thread accepting_;
};

}  // namespace muster::kube
