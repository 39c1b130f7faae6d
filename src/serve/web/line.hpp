// The bytes of one connection, in the clear or by TLS. No call outlasts its deadline or the server.
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

  // `descriptor`: of a socket that does not block. `end`: can be read from once the server ends. `tls`: null
  // for a line in the clear.
  Line(int descriptor, int end, TlsFiles* tls);

  // False, as with send(): the other side did not do its part in time.
  bool greet(Clock::time_point deadline);
  // 0: nothing came in time, or nothing more will come.
  std::size_t receive(char* buffer, std::size_t size, Clock::time_point deadline);
  bool send(std::string_view text, Clock::time_point deadline);
  // Nothing more is sent; what was sent still arrives.
  void finish();

 private:
  // Calls `attempt` until it returns more than 0, which is the result; 0 where it cannot or may not go on.
  template <class Attempt>
  std::size_t until(Clock::time_point deadline, short in_the_clear, Attempt attempt);
  bool wait(short events, Clock::time_point deadline) const;
  // What to wait for after an attempt with this result; no events: another attempt would fail as well.
  short events_after(ssize_t result, short in_the_clear) const;

  const int descriptor_, end_;
  std::optional<TlsConversation> tls_;
};

}  // namespace muster::serve
