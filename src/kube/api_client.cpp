// How a request waits for its place, gets its credentials, and is sent.
#include "kube/api_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/json.hpp"

namespace muster::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kTokenFileLife = minutes(1);
constexpr auto kExecLife = minutes(5);  // of what comes without a time at which it runs out
constexpr auto kRetryOfBadCredentials = seconds(5);

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) text.pop_back();
  return text;
}

// How long a credential may be used, seen from now: a little less than it says.
Clock::duration life_of(const ExecCredential& credential) {
  if (!credential.expires) return kExecLife;
  const auto left = *credential.expires - (std::chrono::system_clock::now() + seconds(10));
  return std::max<Clock::duration>(std::chrono::duration_cast<Clock::duration>(left), seconds(1));
}

// A write that the API server checks and answers as ever, and does not store.
std::string as_dry_run(std::string path) {
  constexpr std::string_view kDryRun = "dryRun=All";
  if (path.find(kDryRun) != std::string::npos) return path;
  path += path.find('?') == std::string::npos ? '?' : '&';
  return path.append(kDryRun);
}

}  // namespace

ApiClient::ApiClient(Loop& loop, Credentials credentials, ClientLimits limits)
    : loop_(loop), credentials_(std::move(credentials)), limits_(limits), tokens_(limits.burst) {}

// ---------------------------------------------------------------- places

// Suspends until somebody gives a place back.
struct ApiClient::Place {
  Line& line;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { line.waiting.push_back({caller}); }
  void await_resume() const {}
};

std::size_t ApiClient::waiting() const {
  std::size_t sum = 0;
  for (const Line& line : lines_) sum += line.waiting.size();
  return sum;
}

bool ApiClient::has_place(Lane lane) const {
  if (lane == Lane::kUrgent) return true;
  const bool is_rush = line_of(Lane::kDecision).waiting.size() >= limits_.rush_begins_at;
  const std::size_t most = is_rush ? limits_.in_a_rush : limits_.in_flight;
  return in_flight_ < most && line_of(lane).in_flight < places_of(lane);
}

std::size_t ApiClient::places_of(Lane lane) const {
  const std::size_t most = limits_.of_lane[static_cast<std::size_t>(lane)];
  const auto under_way = line_of(Lane::kDecision).in_flight + line_of(Lane::kEviction).in_flight;
  if (lane < Lane::kFollowUp || under_way == 0) return most;
  const auto& waiting = line_of(lane).waiting;
  const auto waited = waiting.empty() ? Clock::duration::zero() : Clock::now() - waiting.front().since;
  return std::min(most, static_cast<std::size_t>(waited / limits_.patience));
}

void ApiClient::occupy(Lane lane) {
  ++in_flight_;
  ++line_of(lane).in_flight;
}

// Whoever is woken has its place already.
Async<void> ApiClient::take_place(const ApiRequest& request) {
  if (line_of(request.lane).waiting.empty() && has_place(request.lane)) {
    occupy(request.lane);
  } else {
    const Place place{line_of(request.lane)};
    co_await place;
  }
  const bool is_limited = request.method != "GET" && request.lane != Lane::kUrgent;
  if (is_limited && limits_.writes_per_second > 0) co_await wait_for_token();
}

Async<void> ApiClient::wait_for_token() {
  for (;;) {
    const auto wait = time_to_token();
    if (wait <= Clock::duration::zero() || loop_.stopping()) co_return;
    co_await loop_.sleep(wait);
  }
}

// The place goes to who waits longest in the first line. Whoever is woken and is done at once comes back
// here: no deeper than once.
void ApiClient::give_place_back(Lane lane) {
  --in_flight_;
  --line_of(lane).in_flight;
  if (is_waking_) return;
  is_waking_ = true;
  for (const Lane next :
       {Lane::kDecision, Lane::kEviction, Lane::kOrdinary, Lane::kFollowUp, Lane::kBackground})
    for (auto& waiting = line_of(next).waiting; !waiting.empty() && has_place(next);) {
      const auto first = waiting.front().caller;
      waiting.pop_front();
      occupy(next);
      first.resume();
    }
  is_waking_ = false;
}

// Takes a token where there is one: zero; otherwise how long until there is.
Clock::duration ApiClient::time_to_token() {
  const auto now = Clock::now();
  const double gained = std::chrono::duration<double>(now - tokens_at_).count() * limits_.writes_per_second;
  tokens_ = std::min(std::max(limits_.burst, 1.0), tokens_ + gained);
  tokens_at_ = now;
  if (tokens_ < 1) {
    const std::chrono::duration<double> wait((1 - tokens_) / limits_.writes_per_second);
    return std::max<Clock::duration>(std::chrono::duration_cast<Clock::duration>(wait),
                                     std::chrono::milliseconds(1));
  }
  tokens_ -= 1;
  return Clock::duration::zero();
}

// ---------------------------------------------------------------- who we are

Async<void> ApiClient::refresh_authorisation(bool was_refused) {
  if (!was_refused && Clock::now() < bearer_good_until_) co_return;
  while (refreshing_ && !loop_.stopping()) co_await loop_.sleep(std::chrono::milliseconds(20));
  if (Clock::now() < bearer_good_until_ && !was_refused) co_return;
  refreshing_ = true;
  bearer_good_until_ = Clock::now() + kRetryOfBadCredentials;
  if (const auto trouble = read_again(credentials_.files, credentials_.tls); trouble && on_trouble)
    on_trouble(trouble->text());
  if (!credentials_.exec.command.empty()) {
    const auto run = [plugin = credentials_.exec] { return run_exec_plugin(plugin); };
    auto running = loop_.offload(run);
    const auto credential = co_await running;
    if (credential) {
      bearer_ = credential->token;
      if (!credential->certificate.empty()) credentials_.tls.certificate = credential->certificate;
      if (!credential->key.empty()) credentials_.tls.key = credential->key;
      bearer_good_until_ = Clock::now() + life_of(*credential);
    } else if (on_trouble) {
      on_trouble(credential.error().text());
    }
  } else if (!credentials_.token_file.empty()) {
    if (auto token = content_of(credentials_.token_file)) {
      bearer_ = trimmed(std::move(*token));
      bearer_good_until_ = Clock::now() + kTokenFileLife;
    }
  } else {
    bearer_ = credentials_.token;
    bearer_good_until_ = credentials_.files.any() ? Clock::now() + kTokenFileLife : Clock::time_point::max();
  }
  refreshing_ = false;
}

// ---------------------------------------------------------------- requests

void ApiClient::forbid_writes() {
  may_write_ = false;
  loop_.abort_writes();
}

bool ApiClient::may_begin(const ApiRequest& request) const {
  if (request.method == "GET" || request.lane == Lane::kUrgent) return true;
  return may_write_ && !(is_draining_ && request.lane == Lane::kBackground);
}

Async<HttpResponse> ApiClient::send(ApiRequest request) {
  const bool is_watch = static_cast<bool>(request.on_line);
  const Lane lane = request.lane;
  const bool is_counted = request.method != "GET" && lane != Lane::kUrgent;
  const auto is_wanted = std::move(request.before_sending);
  if (!is_watch) co_await take_place(request);
  HttpResponse response;
  if (!may_begin(request)) {
    response.error = "writing has ended";
  } else if (is_wanted && !is_wanted(request)) {
    response.error = "no longer wanted";
  } else {
    if (is_counted) ++writes_under_way_;
    response = co_await send_authorised(request);
    if (is_counted) --writes_under_way_;
  }
  if (!is_watch) give_place_back(lane);
  co_return response;
}

Async<HttpResponse> ApiClient::send_authorised(const ApiRequest& request) {
  HttpResponse response;
  for (const bool is_second_try : {false, true}) {
    co_await refresh_authorisation(is_second_try);
    HttpRequest http{.method = request.method,
                     .url = credentials_.server + request.path,
                     .headers = {fmt::format("Accept: {}", request.accept), "User-Agent: muster"},
                     .body = request.body,
                     .timeout = request.timeout,
                     .longest_silence = request.longest_silence,
                     .on_line = request.on_line,
                     .owner = request.owner};
    if (!bearer_.empty()) http.headers.push_back("Authorization: Bearer " + bearer_);
    if (http.is_write() && limits_.dry_run) http.url = credentials_.server + as_dry_run(request.path);
    if (http.is_write()) http.headers.push_back(fmt::format("Content-Type: {}", request.content_type));
    const auto start = Clock::now();
    response = co_await loop_.send(std::move(http), credentials_.tls);
    if (on_answer) on_answer(request, response.status, Clock::now() - start);
    if (response.status != 401) break;
  }
  co_return response;
}

bool is_transient(const HttpResponse& response) {
  return response.status == 0 || response.status == 401 || response.status == 429 || response.status == 408 ||
         response.status >= 500;
}

namespace {

// The message of the Status object that an error carries; "" if there is none.
std::string status_message(const HttpResponse& response) {
  simdjson::dom::parser parser;
  Json root;
  if (parser.parse(response.body).get(root) != simdjson::SUCCESS || !root.is_object()) return "";
  return std::string(text_at(root, "message"));
}

}  // namespace

std::string describe(const HttpResponse& response) {
  if (response.status == 0) return "no answer: " + response.error;
  if (response.ok()) return fmt::format("{}", response.status);
  return fmt::format("{} {}", response.status, status_message(response));
}

}  // namespace muster::kube
