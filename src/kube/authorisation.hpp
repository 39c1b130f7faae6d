// Keeps the credentials of requests fresh. One refresh runs at a time, and requests wait for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/async.hpp"
#include "kube/credentials.hpp"
#include "kube/loop.hpp"
#include "kube/waiting.hpp"
#include "util/result.hpp"

namespace muster::kube {

// REQUIRES: all members are called on the loop's thread.
class Authorisation {
 public:
  // Calls `on_credentials_error` with the error text of each failed refresh.
  Authorisation(Loop& loop, Credentials credentials,
                std::function<void(const std::string&)> on_credentials_error)
      : loop_(loop), credentials_(std::move(credentials)), on_trouble_(std::move(on_credentials_error)) {}

  // Waits until there are credentials to send with. If it returns an error, the caller must not send the
  // request, because the server would treat it as anonymous.
  Async<std::optional<Error>> ready();
  // Call when the server answered 401 to a request sent with this version. Refreshes the credentials,
  // at most once per version and minute. Returns true if they have changed and the request may be sent again.
  Async<bool> renew(std::uint64_t refused_version);

  // Changes whenever the token, the certificate or the key changes.
  std::uint64_t version() const { return version_; }
  // "" if muster authenticates with a client certificate.
  const std::string& bearer() const { return bearer_; }
  const TlsIdentity& tls() const { return credentials_.tls; }
  const std::string& server() const { return credentials_.server; }
  bool allow_http() const { return credentials_.allow_http; }

 private:
  bool is_usable(Clock::time_point now) const { return is_known_ && now < good_until_; }
  bool can_change() const;
  Async<void> refresh();
  Async<void> read();
  void read_files();
  void take(const ExecCredential& credential);
  void take_token_file();
  void keep_for(Clock::duration fresh, Clock::duration good);
  void fail(const Error& error);

  Loop& loop_;
  Credentials credentials_;
  const std::function<void(const std::string&)> on_trouble_;
  std::string bearer_;
  std::uint64_t version_ = 0;
  bool is_known_ = false;  // a refresh has succeeded
  Clock::time_point fresh_until_{}, good_until_{};
  Clock::time_point next_try_{};  // after a failed refresh
  Error failure_;                 // of the last failed refresh
  std::shared_ptr<Latch> under_way_;
  std::optional<std::uint64_t> refused_;  // the version for which the last refresh was forced
  Clock::time_point may_force_again_{};
};

}  // namespace muster::kube
