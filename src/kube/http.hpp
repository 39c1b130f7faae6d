// HTTP requests and responses, and the TLS identity of the client.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::kube {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;
  std::string body;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::seconds idle_timeout{0};  // ends the transfer if no data arrives for this long; 0: never
  // Called with each line of a successful response as it arrives, without the line end. Returning false ends
  // the transfer. If unset, the body is collected instead.
  std::function<bool(std::string_view)> on_line;
  const void* owner = nullptr;  // for Loop::abort
  bool allow_http = false;      // http:// is allowed
  bool is_write() const { return method != "GET"; }
};

struct HttpResponse {
  int status = 0;  // 0: no answer; `error` says why
  std::string body, error;
  std::chrono::seconds retry_after{0};
  bool ok() const { return status >= 200 && status < 300; }
};

// Certificates as PEM text, and how to reach the server; unset members are "".
struct TlsIdentity {
  std::string authority, certificate, key;
  std::string server_name;  // the name the server's certificate must have, if not the one in the address
  std::string proxy;        // "http://host:port"
};

}  // namespace muster::kube
