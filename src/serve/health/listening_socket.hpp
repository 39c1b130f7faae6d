// A socket that takes connections at an address like ":8080", "127.0.0.1:0" or "[::1]:8080".
#pragma once

#include <string>

#include "util/result.hpp"

namespace muster::serve {

// Closes what it holds.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// After a call on a socket that failed: it may succeed once the socket is ready.
bool would_block();

struct ListeningSocket {
  Socket socket;  // never blocks
  int port = 0;   // that was taken
};

// No host: everywhere, by IPv6 and IPv4, or by IPv4 alone where there is no other. Port 0: any that is free.
Result<ListeningSocket> listen_at(const std::string& address);

}  // namespace muster::serve
