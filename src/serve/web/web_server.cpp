// Serves each connection on its own thread, and closes slow connections.
#include "serve/web/web_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <list>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/health/http_connection.hpp"
#include "serve/health/http_request.hpp"
#include "serve/health/listening_socket.hpp"
#include "serve/web/line.hpp"
#include "serve/web/tls.hpp"

namespace muster::serve {
namespace {

constexpr std::size_t kMostReaders = 64, kLongestRequestHead = 16 << 10;
constexpr std::int64_t kLargestBody = 1 << 20;
constexpr auto kAcceptRetryInterval = std::chrono::milliseconds(50);  // if the system has no descriptor left
constexpr auto kRequestTimeout = std::chrono::seconds(10);            // the handshake included
constexpr auto kCutTimeout = std::chrono::milliseconds(500);          // for threads of cut connections to end
constexpr auto kAnswerTimeout = std::chrono::seconds(10);             // plus what its size needs
constexpr std::size_t kLeastBytesPerSecond = 64 << 10;                // of an answer, on average

// Returns the head of the request, or "" if none came in time or it is too long.
std::string read_head(Line& line, Line::Clock::time_point deadline, bool& is_too_long) {
  std::string head;
  char buffer[4096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    is_too_long = head.size() > kLongestRequestHead;
    const std::size_t n = is_too_long ? 0 : line.receive(buffer, sizeof(buffer), deadline);
    if (n == 0) return "";
    head.append(buffer, n);
  }
  return head;
}

std::int64_t body_size(std::string_view head) {
  const std::string_view text = header_of(head, "Content-Length");
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc::result_out_of_range ? kLargestBody + 1 : size;
}

std::string head_of(const WebAnswer& answer) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: "
      "close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: "
      "DENY\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n{}\r\n",
      answer.status, words_of(answer.status), answer.body.size(),
      answer.status == 401 ? "WWW-Authenticate: Bearer\r\n" : "");
}

}  // namespace

WebAnswer answer_to(std::string_view head, const WebServer::Handler& handler) {
  const auto read = read_request(head);
  if (const auto* refusal = std::get_if<HttpRefusal>(&read))
    return web_error(refusal->status, refusal->message);
  const HttpRequest& request = std::get<HttpRequest>(read);
  if (body_size(head) > kLargestBody) return web_error(413, "the request body exceeds 1 MB");
  if (request.method != "GET") return web_error(405, "method not allowed; use GET");
  constexpr std::string_view kBearer = "Bearer ";
  if (!request.authorization.starts_with(kBearer)) return handler({request.path, ""});
  std::string token = request.authorization.substr(kBearer.size());
  if (!is_visible_ascii(token))
    return web_error(401, "a bearer token must consist of visible ASCII characters");
  return handler({request.path, std::move(token)});
}

WebAnswer web_error(int status, const std::string& message) {
  const nlohmann::ordered_json body{{"error", {{"code", status}, {"message", message}}}};
  return {status, body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"};
}

bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  in_addr ipv4{};
  constexpr std::uint32_t kLoopbackNetwork = 127;
  if (::inet_pton(AF_INET, host.c_str(), &ipv4) == 1) return ntohl(ipv4.s_addr) >> 24 == kLoopbackNetwork;
  return host == "localhost" || host == "[::1]";
}

class WebServer::Threads {
 public:
  Threads(Socket listener, std::unique_ptr<TlsFiles> tls, const WebServer& server)
      : listener_(std::move(listener)),
        tls_(std::move(tls)),
        server_(server),
        end_(::eventfd(0, EFD_CLOEXEC)),
        accepting_([this] { run(); }) {}
  ~Threads() {
    end_all();
    std::unique_lock lock(mutex_);
    has_ended_.wait(lock, [this] { return open_.empty(); });
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  bool stop(std::chrono::milliseconds most) {
    end_all();
    std::unique_lock lock(mutex_);
    return has_ended_.wait_for(lock, most, [this] { return open_.empty(); });
  }

 private:
  enum class State { kAsks, kIsAnswered, kIsCut };
  struct Conversation {
    Socket socket;
    State state = State::kAsks;
  };
  using Place = std::list<Conversation>::iterator;

  // Stops accepting and ends all connections.
  void end_all() {
    static_cast<void>(::eventfd_write(end_.descriptor(), 1));
    if (accepting_.joinable()) accepting_.join();
  }

  void run() {
    for (;;) {
      pollfd waits[] = {{end_.descriptor(), POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
      ::poll(waits, 2, -1);
      if (waits[0].revents != 0) return;
      Socket client(::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (client.is_open())
        guarded(server_.trouble_, "web: a connection", [&] { take(std::move(client)); });
      else
        std::this_thread::sleep_for(kAcceptRetryInterval);
    }
  }

  // Closes the new connection if there are too many, or the system cannot start a thread.
  void take(Socket client) {
    Place place;
    {
      std::unique_lock lock(mutex_);
      wait_for_cut(lock);
      if (!has_room()) return;
      place = open_.insert(open_.end(), Conversation{.socket = std::move(client)});
    }
    try {
      std::thread([this, place] {
        guarded(server_.trouble_, "web: a connection", [&] { converse(*place); });
        remove(place);
      }).detach();
    } catch (const std::system_error&) {
      remove(place);
    }
  }

  std::size_t cut_connections() const {
    const auto is_cut = [](const Conversation& c) { return c.state == State::kIsCut; };
    return static_cast<std::size_t>(std::ranges::count_if(open_, is_cut));
  }

  // Gives the threads of cut connections time to end, so that a burst of new connections does not fill the
  // process with threads.
  void wait_for_cut(std::unique_lock<std::mutex>& lock) {
    has_ended_.wait_for(lock, kCutTimeout, [this] { return cut_connections() < kMostReaders; });
  }

  // Makes room by cutting the oldest connection without a request yet.
  bool has_room() {
    const std::size_t cut = cut_connections();
    if (open_.size() - cut < kMostReaders) return true;
    const auto oldest =
        std::ranges::find_if(open_, [](const Conversation& c) { return c.state == State::kAsks; });
    if (cut >= kMostReaders || oldest == open_.end()) return false;
    oldest->state = State::kIsCut;
    ::shutdown(oldest->socket.descriptor(), SHUT_RDWR);
    return true;
  }

  void converse(Conversation& conversation) {
    Line line(conversation.socket.descriptor(), end_.descriptor(), tls_.get());
    const auto ask_until = Line::Clock::now() + kRequestTimeout;
    if (!line.greet(ask_until)) return;
    bool is_too_long = false;
    const std::string head = read_head(line, ask_until, is_too_long);
    if ((head.empty() && !is_too_long) || !begin_answer(conversation)) return;
    const WebAnswer answer = is_too_long ? web_error(431, "the request is too long") : safe_answer_to(head);
    const auto take_until =
        Line::Clock::now() + kAnswerTimeout + std::chrono::seconds(answer.body.size() / kLeastBytesPerSecond);
    if (line.send(head_of(answer), take_until) && line.send(answer.body, take_until)) line.finish();
  }

  WebAnswer safe_answer_to(const std::string& head) {
    return guarded(
        server_.trouble_, "web: a request", [&] { return answer_to(head, server_.handler_); },
        [] { return web_error(500, "the request failed; the scheduler's log says why"); });
  }

  bool begin_answer(Conversation& conversation) {
    const std::lock_guard lock(mutex_);
    if (conversation.state == State::kIsCut) return false;
    conversation.state = State::kIsAnswered;
    return true;
  }

  void remove(Place place) {
    const std::lock_guard lock(mutex_);
    open_.erase(place);
    has_ended_.notify_all();
  }

  const Socket listener_;
  const std::unique_ptr<TlsFiles> tls_;  // null: plain text
  const WebServer& server_;
  const Socket end_;
  std::mutex mutex_;
  std::condition_variable has_ended_;  // a connection
  std::list<Conversation> open_;       // the oldest first
  std::thread accepting_;
};

WebServer::WebServer(Handler handler, Trouble trouble)
    : handler_(std::move(handler)), trouble_(std::move(trouble)) {}
WebServer::~WebServer() = default;

Result<int> WebServer::start(const WebAddress& at) {
  std::unique_ptr<TlsFiles> tls;
  if (!at.certificate.empty()) {
    tls = std::make_unique<TlsFiles>(at.certificate, at.key);
    if (const auto loaded = tls->load(); !loaded) return loaded.error();
  }
  auto listening = listen_at(at.address);
  if (!listening) return listening.error();
  threads_ = std::make_unique<Threads>(std::move(listening->socket), std::move(tls), *this);
  return listening->port;
}

bool WebServer::stop(std::chrono::milliseconds most) { return threads_ == nullptr || threads_->stop(most); }

}  // namespace muster::serve
