// Decides when credentials are read and how long they remain valid.
#include "kube/authorisation.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kFileLife = minutes(1);
constexpr auto kUndatedLife = minutes(5);  // of a credential without an expiration time
constexpr auto kBetweenFailures = seconds(5);
constexpr auto kBetweenForcedRefreshes = minutes(1);
// Credentials are refreshed while the old ones are still valid, so that a slow program delays no request.
constexpr auto kBeforeTheEnd = seconds(60);
constexpr auto kUnlimited = std::chrono::hours(24 * 365);

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) text.pop_back();
  return text;
}

// How long a credential may still be used: slightly less than until it expires.
Clock::duration time_left(TimePoint expires) {
  const auto left = expires - (std::chrono::system_clock::now() + seconds(10));
  return std::clamp<Clock::duration>(std::chrono::duration_cast<Clock::duration>(left), seconds(1),
                                     kUnlimited);
}

}  // namespace

Async<std::optional<Error>> Authorisation::ready() {
  const auto now = Clock::now();
  const bool is_due = now >= fresh_until_ && now >= next_try_;
  if (!is_usable(now)) {
    if (is_due || under_way_) co_await refresh();
  } else if (is_due && !under_way_) {
    spawn(refresh(), "refreshing the credentials");
  }
  if (is_usable(Clock::now())) co_return std::nullopt;
  co_return failure_;
}

Async<bool> Authorisation::renew(std::uint64_t refused_version) {
  const auto now = Clock::now();
  if (refused_version == version_ && can_change()) {
    const bool was_forced = refused_ == refused_version && now < may_force_again_;
    if (!was_forced) may_force_again_ = now + kBetweenForcedRefreshes;
    refused_ = refused_version;
    if (!was_forced || under_way_) co_await refresh();
  }
  co_return version_ != refused_version;
}

bool Authorisation::can_change() const {
  return !credentials_.exec.command.empty() || !credentials_.token_file.empty() || credentials_.files.any();
}

// A caller that finds a refresh in progress waits for that one.
Async<void> Authorisation::refresh() {
  if (const auto under_way = under_way_) {
    co_await under_way->opened();
    co_return;
  }
  const auto done = under_way_ = std::make_shared<Latch>();
  const auto before = std::tuple(bearer_, credentials_.tls.certificate, credentials_.tls.key);
  try {
    co_await read();
  } catch (...) {
    fail(Error{text_of_exception(std::current_exception())});
  }
  if (before != std::tie(bearer_, credentials_.tls.certificate, credentials_.tls.key)) ++version_;
  under_way_ = nullptr;
  done->open();
}

Async<void> Authorisation::read() {
  read_files();
  if (!credentials_.exec.command.empty()) {
    const auto run = [plugin = credentials_.exec] { return run_exec_plugin(plugin); };
    auto running = loop_.offload(run);
    const Result<ExecCredential> credential = co_await running;
    if (credential)
      take(*credential);
    else
      fail(credential.error());
  } else if (!credentials_.token_file.empty()) {
    take_token_file();
  } else {
    bearer_ = credentials_.token;
    keep_for(credentials_.files.any() ? Clock::duration(kFileLife) : Clock::duration(kUnlimited), kUnlimited);
  }
}

void Authorisation::read_files() {
  const auto trouble = read_again(credentials_.files, credentials_.tls);
  if (trouble) on_trouble_(trouble->text());
}

void Authorisation::take(const ExecCredential& credential) {
  bearer_ = credential.token;
  if (!credential.certificate.empty()) credentials_.tls.certificate = credential.certificate;
  if (!credential.key.empty()) credentials_.tls.key = credential.key;
  if (!credential.expires) return keep_for(kUndatedLife, kUnlimited);
  const Clock::duration left = time_left(*credential.expires);
  keep_for(left - std::min<Clock::duration>(kBeforeTheEnd, left / 4), left);
}

// Keeps the previous token if the file is temporarily unreadable.
void Authorisation::take_token_file() {
  auto token = content_of(credentials_.token_file);
  if (!token) return fail(token.error());
  std::string text = trimmed(*std::move(token));
  if (text.empty()) return fail(Error{credentials_.token_file + ": the token file is empty"});
  bearer_ = std::move(text);
  keep_for(kFileLife, kUnlimited);
}

void Authorisation::keep_for(Clock::duration fresh, Clock::duration good) {
  is_known_ = true;
  fresh_until_ = Clock::now() + fresh;
  good_until_ = Clock::now() + good;
  next_try_ = {};
}

void Authorisation::fail(const Error& error) {
  failure_ = error;
  next_try_ = Clock::now() + kBetweenFailures;
  on_trouble_(error.text());
}

}  // namespace muster::kube
