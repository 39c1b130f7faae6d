// A request and its answer as the loop carries them, and who they are exchanged between.
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
  std::chrono::seconds longest_silence{0};  // the transfer ends where nothing comes for so long; 0: it waits
  // Given the body of a good answer line by line as it comes, without the line's end; false ends the
  // transfer. Where there is none, the body is collected.
  std::function<bool(std::string_view)> on_line;
  const void* owner = nullptr;  // for Loop::abort
  bool may_be_plain = false;    // http:// is as good as https://
  bool is_write() const { return method != "GET"; }
};

struct HttpResponse {
  int status = 0;  // 0: no answer; `error` says why
  std::string body, error;
  std::chrono::seconds retry_after{0};
  bool ok() const { return status >= 200 && status < 300; }
};

// Certificates as PEM text, and how the server is reached; "" where there is none.
struct TlsIdentity {
  std::string authority, certificate, key;
  std::string server_name;  // that its certificate must have, instead of the one in the address
  std::string proxy;        // "http://host:port"
};

}  // namespace muster::kube
