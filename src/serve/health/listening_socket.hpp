// A socket that accepts connections at an address like ":8080", "127.0.0.1:0" or "[::1]:8080".
#pragma once

#include <string>

#include "util/result.hpp"

namespace muster::serve {

// Owns a descriptor and closes it.
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

// To be called after a failed call on a socket: returns true if that may succeed once the socket is ready.
bool would_block();

struct ListeningSocket {
  Socket socket;  // non-blocking
  int port = 0;   // the actual port
};

// Without a host it listens on all IPv6 and IPv4 addresses, or only IPv4 if there is no IPv6. Port 0: any
// free port.
Result<ListeningSocket> listen_at(const std::string& address);

}  // namespace muster::serve
