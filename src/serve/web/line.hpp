// Sends and receives the bytes of one connection, with or without TLS. Every call returns at its deadline or
// when the server ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "serve/web/tls.hpp"

namespace muster::serve {

class Line {
 public:
  using Clock = std::chrono::steady_clock;

  // `descriptor`: a non-blocking socket. `end`: becomes readable when the server ends. `tls`: null for
  // plain text.
  Line(int descriptor, int end, TlsFiles* tls);

  // Does the TLS handshake. Returns false if the client did not do its part in time.
  bool greet(Clock::time_point deadline);
  // Returns 0 if nothing came in time or nothing more will come.
  std::size_t receive(char* buffer, std::size_t size, Clock::time_point deadline);
  // Returns false if the client did not take the text in time.
  bool send(std::string_view text, Clock::time_point deadline);
  // Ends sending; what was sent still arrives.
  void finish();

 private:
  // Calls `attempt` until it returns more than 0, and returns that. Returns 0 after a failure, at the
  // deadline, or when the server ends.
  template <class Attempt>
  std::size_t until(Clock::time_point deadline, short in_the_clear, Attempt attempt);
  bool wait(short events, Clock::time_point deadline) const;
  // The events to wait for after an attempt with this result; kNoEvents if another attempt would fail as
  // well.
  short events_after(ssize_t result, short in_the_clear) const;

  const int descriptor_, end_;
  std::optional<TlsConversation> tls_;
};

}  // namespace muster::serve
