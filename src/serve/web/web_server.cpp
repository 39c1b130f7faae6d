// Threads that answer readers of the interface one by one, and cut off those that are slow.
#include "serve/web/web_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/health/http_connection.hpp"
#include "serve/health/listening_socket.hpp"

namespace muster::serve {
namespace {

constexpr std::size_t kMostConnections = 64, kLongestHead = 16 << 10;
constexpr timeval kSocketPatience{.tv_sec = 5, .tv_usec = 0};

std::string decoded(std::string_view path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    unsigned value = 0;
    const bool is_escape =
        path[i] == '%' && i + 2 < path.size() &&
        std::from_chars(path.data() + i + 1, path.data() + i + 3, value, 16).ptr == path.data() + i + 3;
    text += is_escape ? static_cast<char>(value) : path[i];
    if (is_escape) i += 2;
  }
  return text;
}

// The value of a header, "" if there is none.
std::string_view header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == head.npos ? head.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon != name.size()) continue;
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    if (!std::equal(name.begin(), name.end(), line.begin(), same)) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

// The head of the request; "" where none came in time, or it is too long.
std::string read_head(int descriptor, bool& is_too_long) {
  std::string head;
  char buffer[4096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    is_too_long = head.size() > kLongestHead;
    if (is_too_long) return "";
    const ssize_t n = ::recv(descriptor, buffer, sizeof(buffer), 0);
    if (n <= 0) return "";
    head.append(buffer, static_cast<std::size_t>(n));
  }
  return head;
}

WebAnswer answer_to(std::string_view head, const WebServer::Handler& handler) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last || !line.substr(last + 1).starts_with("HTTP/1."))
    return web_error(400, "that is no HTTP");
  if (line.substr(0, first) != "GET") return web_error(405, "GET only");
  std::string_view path = line.substr(first + 1, last - first - 1);
  path = path.substr(0, path.find('?'));
  std::string_view token = header(head, "Authorization");
  constexpr std::string_view kBearer = "Bearer ";
  token = token.starts_with(kBearer) ? token.substr(kBearer.size()) : std::string_view();
  return handler({decoded(path), std::string(token)});
}

void send_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void converse(const Socket& socket, const WebServer::Handler& handler) {
  const int descriptor = socket.descriptor();
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &kSocketPatience, sizeof(kSocketPatience));
  ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &kSocketPatience, sizeof(kSocketPatience));
  bool is_too_long = false;
  const std::string head = read_head(descriptor, is_too_long);
  if (head.empty() && !is_too_long) return;
  const WebAnswer answer = is_too_long ? web_error(431, "the request is too long") : answer_to(head, handler);
  send_all(
      descriptor,
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: "
                  "close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: "
                  "DENY\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n{}\r\n",
                  answer.status, words_of(answer.status), answer.body.size(),
                  answer.status == 401 ? "WWW-Authenticate: Bearer\r\n" : ""));
  send_all(descriptor, answer.body);
  ::shutdown(descriptor, SHUT_WR);
}

}  // namespace

WebAnswer web_error(int status, const std::string& message) {
  const nlohmann::ordered_json body{{"error", {{"code", status}, {"message", message}}}};
  return {status, body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"};
}

bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

class WebServer::Threads {
 public:
  Threads(Socket listener, const Handler& handler)
      : listener_(std::move(listener)),
        handler_(handler),
        end_(::eventfd(0, EFD_CLOEXEC)),
        accepting_([this] { run(); }) {}
  ~Threads() {
    static_cast<void>(::eventfd_write(end_.descriptor(), 1));
    accepting_.join();
    std::unique_lock lock(mutex_);
    none_left_.wait(lock, [this] { return open_ == 0; });
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  void run() {
    for (;;) {
      pollfd waits[] = {{end_.descriptor(), POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
      ::poll(waits, 2, -1);
      if (waits[0].revents != 0) return;
      Socket client(::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
      if (client.is_open()) take(std::move(client));
    }
  }

  // Too many: the newest is sent away at once.
  void take(Socket client) {
    {
      const std::lock_guard lock(mutex_);
      if (open_ >= kMostConnections) return;
      ++open_;
    }
    std::thread([this, socket = std::make_shared<Socket>(std::move(client))]() mutable {
      converse(*socket, handler_);
      socket.reset();
      const std::lock_guard lock(mutex_);
      if (--open_ == 0) none_left_.notify_all();
    }).detach();
  }

  const Socket listener_;
  const Handler& handler_;
  const Socket end_;
  std::mutex mutex_;
  std::condition_variable none_left_;
  std::size_t open_ = 0;
  std::thread accepting_;
};

WebServer::WebServer(Handler handler) : handler_(std::move(handler)) {}
WebServer::~WebServer() = default;

Result<int> WebServer::start(const std::string& address) {
  auto listening = listen_at(address);
  if (!listening) return listening.error();
  threads_ = std::make_unique<Threads>(std::move(listening->socket), handler_);
  return listening->port;
}

}  // namespace muster::serve
