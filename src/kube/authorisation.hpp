// Keeps what a request says who we are fresh: one refresh at a time, and every request waits for it.
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

// Belongs to the loop's thread.
class Authorisation {
 public:
  // `on_trouble` gets the text of each refresh that failed.
  Authorisation(Loop& loop, Credentials credentials, std::function<void(const std::string&)> on_trouble)
      : loop_(loop), credentials_(std::move(credentials)), on_trouble_(std::move(on_trouble)) {}

  // Until there is something to send with. The error says why there is nothing; then a request must not be
  // sent, because the server would take it for one of an anonymous user.
  Async<std::optional<Error>> ready();
  // The server answered 401 to a request that was sent with this version: refreshes the credentials, once per
  // version and minute. True: there are others now, and the request may be sent again.
  Async<bool> renew(std::uint64_t refused_version);

  // Changes with the token, the certificate and the key.
  std::uint64_t version() const { return version_; }
  // "" where the certificate says it all.
  const std::string& bearer() const { return bearer_; }
  const TlsIdentity& tls() const { return credentials_.tls; }
  const std::string& server() const { return credentials_.server; }
  bool may_be_plain() const { return credentials_.may_be_plain; }

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
  bool is_known_ = false;  // a refresh has worked
  Clock::time_point fresh_until_{}, good_until_{};
  Clock::time_point next_try_{};  // after a refresh that failed
  Error failure_;                 // of the last refresh
  std::shared_ptr<Latch> under_way_;
  std::optional<std::uint64_t> refused_;  // the version that a refresh was last forced for
  Clock::time_point may_force_again_{};
};

}  // namespace muster::kube
