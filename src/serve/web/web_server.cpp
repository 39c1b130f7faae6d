// Threads that answer readers of the interface one by one, and cut off those that are slow.
#include "serve/web/web_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "serve/health/http_connection.hpp"
#include "serve/health/listening_socket.hpp"
#include "serve/web/tls.hpp"

namespace muster::serve {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostReaders = 64, kLongestQuestion = 16 << 10;
constexpr std::int64_t kLargestBody = 1 << 20;
constexpr auto kBetweenRefusals = std::chrono::milliseconds(50);  // where the machine has no descriptor left
constexpr timeval kSocketPatience{.tv_sec = 5, .tv_usec = 0};
constexpr auto kForHead = std::chrono::seconds(10);
constexpr std::size_t kLeastPerSecond = 64 << 10;  // of an answer, on average

// Bytes of a connection, in the clear or not; each call has its time limit.
class Line {
 public:
  Line(int descriptor, TlsFiles* tls) : descriptor_(descriptor) {
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &kSocketPatience, sizeof(kSocketPatience));
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &kSocketPatience, sizeof(kSocketPatience));
    if (tls != nullptr) tls_.emplace(tls->context(), descriptor);
  }

  bool greet() { return !tls_ || tls_->greet(); }
  ssize_t receive(char* buffer, std::size_t size) {
    return tls_ ? tls_->receive(buffer, size) : ::recv(descriptor_, buffer, size, 0);
  }
  ssize_t send(std::string_view text) {
    return tls_ ? tls_->send(text.data(), text.size())
                : ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  void end() {
    tls_.reset();
    ::shutdown(descriptor_, SHUT_WR);
  }

 private:
  const int descriptor_;
  std::optional<TlsConversation> tls_;
};

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
std::string read_head(Line& line, bool& is_too_long) {
  std::string head;
  char buffer[4096];
  const auto end = Steady::now() + kForHead;
  while (head.find("\r\n\r\n") == std::string::npos) {
    is_too_long = head.size() > kLongestQuestion;
    if (is_too_long || Steady::now() > end) return "";
    const ssize_t n = line.receive(buffer, sizeof(buffer));
    if (n <= 0) return "";
    head.append(buffer, static_cast<std::size_t>(n));
  }
  return head;
}

std::int64_t body_size(std::string_view head) {
  const std::string_view text = header(head, "Content-Length");
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc::result_out_of_range ? kLargestBody + 1 : size;
}

WebAnswer answer_to(std::string_view head, const WebServer::Handler& handler) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last || !line.substr(last + 1).starts_with("HTTP/1."))
    return web_error(400, "that is no HTTP");
  if (body_size(head) > kLargestBody) return web_error(413, "no body over 1 MB");
  if (line.substr(0, first) != "GET") return web_error(405, "GET only");
  std::string_view path = line.substr(first + 1, last - first - 1);
  path = path.substr(0, path.find('?'));
  std::string_view token = header(head, "Authorization");
  constexpr std::string_view kBearer = "Bearer ";
  token = token.starts_with(kBearer) ? token.substr(kBearer.size()) : std::string_view();
  return handler({decoded(path), std::string(token)});
}

// As long as the reader takes it fast enough.
bool send_all(Line& line, std::string_view text, Steady::time_point end) {
  while (!text.empty()) {
    const ssize_t n = Steady::now() < end ? line.send(text) : 0;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string head_of(const WebAnswer& answer) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: "
      "close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: "
      "DENY\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n{}\r\n",
      answer.status, words_of(answer.status), answer.body.size(),
      answer.status == 401 ? "WWW-Authenticate: Bearer\r\n" : "");
}

void converse(const Socket& socket, TlsFiles* tls, const WebServer::Handler& handler) {
  Line line(socket.descriptor(), tls);
  if (!line.greet()) return;
  bool is_too_long = false;
  const std::string head = read_head(line, is_too_long);
  if (head.empty() && !is_too_long) return;
  const WebAnswer answer = is_too_long ? web_error(431, "the request is too long") : answer_to(head, handler);
  const auto end = Steady::now() + kForHead + std::chrono::seconds(answer.body.size() / kLeastPerSecond);
  if (send_all(line, head_of(answer), end) && send_all(line, answer.body, end)) line.end();
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
  Threads(Socket listener, std::unique_ptr<TlsFiles> tls, const Handler& handler)
      : listener_(std::move(listener)),
        tls_(std::move(tls)),
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
      if (client.is_open())
        take(std::move(client));
      else
        std::this_thread::sleep_for(kBetweenRefusals);
    }
  }

  // Too many for us, or for the machine: the newest is sent away at once.
  void take(Socket client) {
    {
      const std::lock_guard lock(mutex_);
      if (open_ >= kMostReaders) return;
      ++open_;
    }
    try {
      std::thread([this, socket = std::make_shared<Socket>(std::move(client))]() mutable {
        converse(*socket, tls_.get(), handler_);
        socket.reset();
        count_one_less();
      }).detach();
    } catch (const std::system_error&) {
      count_one_less();
    }
  }

  void count_one_less() {
    const std::lock_guard lock(mutex_);
    if (--open_ == 0) none_left_.notify_all();
  }

  const Socket listener_;
  const std::unique_ptr<TlsFiles> tls_;  // null: in the clear
  const Handler& handler_;
  const Socket end_;
  std::mutex mutex_;
  std::condition_variable none_left_;
  std::size_t open_ = 0;
  std::thread accepting_;
};

WebServer::WebServer(Handler handler) : handler_(std::move(handler)) {}
WebServer::~WebServer() = default;

Result<int> WebServer::start(const WebAddress& at) {
  std::unique_ptr<TlsFiles> tls;
  if (!at.certificate.empty()) {
    tls = std::make_unique<TlsFiles>(at.certificate, at.key);
    if (const auto loaded = tls->load(); !loaded) return loaded.error();
  }
  auto listening = listen_at(at.address);
  if (!listening) return listening.error();
  threads_ = std::make_unique<Threads>(std::move(listening->socket), std::move(tls), handler_);
  return listening->port;
}

}  // namespace muster::serve
