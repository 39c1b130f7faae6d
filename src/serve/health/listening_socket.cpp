// Parses the address and listens on the first resolved one that is available.
#include "serve/health/listening_socket.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

namespace muster::serve {
namespace {

struct HostAndPort {
  std::string host;
  int port = 0;
};

std::optional<HostAndPort> parse_address(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  HostAndPort result{.host = address.substr(0, colon), .port = -1};
  const char* const end = address.data() + address.size();
  const auto read = std::from_chars(address.data() + colon + 1, end, result.port);
  if (read.ec != std::errc() || read.ptr != end || result.port < 0 || result.port > 65535)
    return std::nullopt;
  const bool has_brackets = result.host.starts_with('[') && result.host.ends_with(']');
  if (has_brackets) result.host = result.host.substr(1, result.host.size() - 2);
  if (!has_brackets && result.host.find(':') != std::string::npos) return std::nullopt;
  return result;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const char* host, int port) {
  const addrinfo hints{
      .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (::getaddrinfo(host, std::to_string(port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, &::freeaddrinfo};
}

int port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  const bool is_v6 = address.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

// Returns a socket that is not open if the address is not available.
Socket listen_on(const addrinfo& address) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return socket;
  const int on = 1, off = 0;
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.ai_family == AF_INET6)
    ::setsockopt(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  const bool listens = ::bind(socket.descriptor(), address.ai_addr, address.ai_addrlen) == 0 &&
                       ::listen(socket.descriptor(), SOMAXCONN) == 0;
  return listens ? std::move(socket) : Socket();
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

Result<ListeningSocket> listen_at(const std::string& address) {
  const auto wanted = parse_address(address);
  if (!wanted) return Error{fmt::format("\"{}\" is not an address (e.g. :8080, [::1]:8080)", address)};
  const bool is_anywhere = wanted->host.empty();
  for (const char* host : {is_anywhere ? "::" : wanted->host.c_str(), "0.0.0.0"}) {
    const Addresses found = addresses_of(host, wanted->port);
    for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next)
      if (Socket socket = listen_on(*at); socket.is_open()) {
        const int port = port_of(socket.descriptor());
        return ListeningSocket{std::move(socket), port};
      }
    if (!is_anywhere) break;
  }
  return Error{fmt::format("cannot listen on {}", address)};
}

}  // namespace muster::serve
