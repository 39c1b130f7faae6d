// Polls all connections in rounds: each ready one does a little work, and the oldest is closed if there are
// too many.
#include "serve/health/http_connections.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace muster::serve {
namespace {

// The oldest connection is closed if there are more.
constexpr std::size_t kMostConnections = 128;
// Accepted per round: half of all, so that a connection is served before it can become the oldest.
constexpr std::size_t kMostAccepted = kMostConnections / 2;
constexpr std::size_t kMostAnswers = 32;
constexpr auto kSlowAnswer = std::chrono::seconds(1);  // a slower answer may be dropped for another
constexpr auto kLongestRound = std::chrono::milliseconds(250);

short events_of(const HttpConnection& connection) {
  return static_cast<short>(connection.wants_to_write() ? POLLOUT : POLLIN);
}

}  // namespace

HttpConnections::HttpConnections(Socket listener, Asked asked, Trouble trouble)
    : listener_(std::move(listener)),
      asked_(std::move(asked)),
      trouble_(std::move(trouble)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { run(); }) {}

HttpConnections::~HttpConnections() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  static_cast<void>(::eventfd_write(wake_.descriptor(), 1));
  thread_.join();
}

bool HttpConnections::take(HttpConnection& connection) {
  {
    const std::lock_guard lock(mutex_);
    if (taken_.size() >= kMostConnections) return false;
    taken_.push_back(std::move(connection));
  }
  static_cast<void>(::eventfd_write(wake_.descriptor(), 1));
  return true;
}

bool HttpConnections::may_begin_answer() {
  const auto is_under_way = [](const HttpConnection& c) { return c.wants_to_write(); };
  if (std::ranges::count_if(connections_, is_under_way) < static_cast<std::ptrdiff_t>(kMostAnswers))
    return true;
  const auto slow = std::ranges::find_if(connections_, [&](const HttpConnection& c) {
    return is_under_way(c) && c.answered_at() + kSlowAnswer < HttpConnection::Clock::now();
  });
  if (slow == connections_.end()) return false;
  slow->give_up();
  return true;
}

// A round that fails, for example because memory is exhausted, closes all connections.
void HttpConnections::run() {
  for (bool goes_on = true; goes_on;)
    goes_on = guarded(
        trouble_, "http: polling the connections", [this] { return round(); },
        [this] {
          connections_.clear();
          std::this_thread::sleep_for(kLongestRound);
          return true;
        });
}

bool HttpConnections::round() {
  std::vector<pollfd> waits = {{wake_.descriptor(), POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
  for (const HttpConnection& c : connections_) waits.push_back({c.descriptor(), events_of(c), 0});
  ::poll(waits.data(), waits.size(), connections_.empty() ? -1 : static_cast<int>(kLongestRound.count()));
  for (std::size_t i = 2; i < waits.size(); ++i) serve(connections_[i - 2], waits[i].revents != 0);
  if (waits[0].revents != 0) add_taken();
  const auto now = HttpConnection::Clock::now();
  std::erase_if(connections_, [&](const HttpConnection& c) { return c.is_over(now); });
  if (waits[1].revents != 0) accept_all();
  const std::lock_guard lock(mutex_);
  return !is_over_;
}

void HttpConnections::serve(HttpConnection& connection, bool is_ready) {
  guarded(
      trouble_, "http: a connection",
      [&] {
        if (is_ready) connection.go_on();
        if (!connection.asks()) return;
        asked_(connection);
        connection.go_on();
      },
      [&] { connection.give_up(); });
}

void HttpConnections::add(HttpConnection connection) {
  if (connections_.size() >= kMostConnections) connections_.pop_front();
  connections_.push_back(std::move(connection));
}

void HttpConnections::add_taken() {
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.descriptor(), &ignored);
  std::vector<HttpConnection> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(taken_);
  }
  for (HttpConnection& connection : taken) {
    add(std::move(connection));
    serve(connections_.back(), false);
  }
}

void HttpConnections::accept_all() {
  for (std::size_t i = 0; i < kMostAccepted; ++i) {
    Socket client(::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const bool lacks_descriptors = !client.is_open() && (errno == EMFILE || errno == ENFILE);
    if (lacks_descriptors && connections_.empty()) std::this_thread::sleep_for(kLongestRound);
    if (lacks_descriptors && !connections_.empty()) connections_.pop_front();
    if (!client.is_open()) return;
    add(HttpConnection(std::move(client)));
  }
}

}  // namespace muster::serve
