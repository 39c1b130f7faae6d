// Pages and probes, answered by a thread of its own that waits for no single client.
#include "serve/health/http_server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <thread>
#include <vector>

#include "serve/health/http_connection.hpp"
#include "serve/health/metrics.hpp"
#include "serve/health/vitals.hpp"

namespace muster::serve {
namespace {

constexpr const char* kPrometheus = "text/plain; version=0.0.4; charset=utf-8";
// More are too many: the oldest goes.
constexpr std::size_t kMostConnections = 128;
// At once: half of the others get their turn before they could be the oldest.
constexpr std::size_t kMostAccepted = kMostConnections / 2;
constexpr int kLongestWaitMs = 250;

// `trouble` in words; "": all is well.
Page probe(const std::string& trouble) {
  return {.status = trouble.empty() ? 200 : 503, .body = (trouble.empty() ? "ok" : trouble) + "\n"};
}

Pages pages_of(const Metrics& metrics, const Vitals& vitals, const TextSource* shadow) {
  return [&metrics, &vitals, shadow](std::string_view path) -> Page {
    if (path == "/shadow" && shadow != nullptr) return {.type = "application/json", .body = shadow->text()};
    if (path == "/metrics") return {.type = kPrometheus, .body = metrics.text()};
    if (path == "/healthz") return probe(vitals.not_alive());
    if (path == "/readyz") return probe(vitals.not_ready());
    return {.status = 404, .body = "/metrics, /healthz or /readyz\n"};
  };
}

}  // namespace

class HttpServer::Thread {
 public:
  Thread(Socket listener, Pages pages)
      : listener_(std::move(listener)),
        pages_(std::move(pages)),
        end_(::eventfd(0, EFD_CLOEXEC)),
        thread_([this] { run(); }) {}
  ~Thread() {
    static_cast<void>(::eventfd_write(end_.descriptor(), 1));
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  void run() {
    for (;;) {
      std::vector<pollfd> waits = {{end_.descriptor(), POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
      for (const HttpConnection& c : connections_)
        waits.push_back({c.descriptor(), static_cast<short>(c.wants_to_write() ? POLLOUT : POLLIN), 0});
      ::poll(waits.data(), waits.size(), connections_.empty() ? -1 : kLongestWaitMs);
      if (waits[0].revents != 0) return;
      for (std::size_t i = 0; i < connections_.size(); ++i)
        if (waits[i + 2].revents != 0) connections_[i].go_on(pages_);
      const auto now = HttpConnection::Clock::now();
      std::erase_if(connections_, [&](const HttpConnection& c) { return c.is_over(now); });
      if (waits[1].revents != 0) accept_all();
    }
  }

  void accept_all() {
    for (std::size_t i = 0; i < kMostAccepted; ++i) {
      Socket client(::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      const bool lacks_descriptors = !client.is_open() && (errno == EMFILE || errno == ENFILE);
      if (lacks_descriptors && connections_.empty()) ::usleep(kLongestWaitMs * 1000);
      const bool is_full = connections_.size() >= kMostConnections || lacks_descriptors;
      if (is_full && !connections_.empty()) connections_.pop_front();
      if (!client.is_open()) return;
      connections_.emplace_back(std::move(client));
    }
  }

  const Socket listener_;
  const Pages pages_;
  const Socket end_;
  std::deque<HttpConnection> connections_;  // the oldest first
  std::thread thread_;
};

HttpServer::HttpServer(const Metrics& metrics, const Vitals& vitals, const TextSource* shadow)
    : metrics_(metrics), vitals_(vitals), shadow_(shadow) {}

HttpServer::~HttpServer() = default;

Result<int> HttpServer::start(const std::string& address) {
  auto listening = listen_at(address);
  if (!listening) return listening.error();
  thread_ = std::make_unique<Thread>(std::move(listening->socket), pages_of(metrics_, vitals_, shadow_));
  return listening->port;
}

}  // namespace muster::serve
