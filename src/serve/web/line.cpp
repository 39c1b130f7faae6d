// Attempts each operation, and waits for the socket before the next attempt.
#include "serve/web/line.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "serve/health/listening_socket.hpp"

namespace muster::serve {
namespace {

constexpr short kNoEvents = 0;

}  // namespace

Line::Line(int descriptor, int end, TlsFiles* tls) : descriptor_(descriptor), end_(end) {
  if (tls != nullptr) tls_.emplace(tls->context(), descriptor);
}

bool Line::wait(short events, Clock::time_point deadline) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  if (left.count() <= 0) return false;
  pollfd waits[] = {{descriptor_, events, 0}, {end_, POLLIN, 0}};
  const int ready = ::poll(waits, 2, static_cast<int>(left.count()));
  return (ready > 0 && waits[1].revents == 0) || (ready < 0 && errno == EINTR);
}

short Line::events_after(ssize_t result, short in_the_clear) const {
  if (!tls_) return result < 0 && would_block() ? in_the_clear : kNoEvents;
  if (tls_->next() == TlsConversation::Next::kEnd) return kNoEvents;
  return tls_->next() == TlsConversation::Next::kWaitToRead ? POLLIN : POLLOUT;
}

template <class Attempt>
std::size_t Line::until(Clock::time_point deadline, short in_the_clear, Attempt attempt) {
  while (Clock::now() < deadline) {
    const ssize_t result = attempt();
    if (result > 0) return static_cast<std::size_t>(result);
    const short events = events_after(result, in_the_clear);
    if (events == kNoEvents || !wait(events, deadline)) return 0;
  }
  return 0;
}

bool Line::greet(Clock::time_point deadline) {
  return !tls_ || until(deadline, kNoEvents, [&] { return tls_->greet(); }) > 0;
}

std::size_t Line::receive(char* buffer, std::size_t size, Clock::time_point deadline) {
  return until(deadline, POLLIN, [&]() -> ssize_t {
    return tls_ ? tls_->receive(buffer, size) : ::recv(descriptor_, buffer, size, MSG_DONTWAIT);
  });
}

// Waits before each attempt, so that the end of the server also stops a client that never blocks.
bool Line::send(std::string_view text, Clock::time_point deadline) {
  while (!text.empty()) {
    if (!wait(POLLOUT, deadline)) return false;
    const std::size_t sent = until(deadline, POLLOUT, [&]() -> ssize_t {
      return tls_ ? tls_->send(text.data(), text.size())
                  : ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent == 0) return false;
    text.remove_prefix(sent);
  }
  return true;
}

void Line::finish() {
  tls_.reset();
  ::shutdown(descriptor_, SHUT_WR);
}

}  // namespace muster::serve
