// Requests wait for a free slot, get credentials and are sent.
#include "kube/api_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/json.hpp"

namespace muster::kube {
namespace {

// The path of a write that the API server validates and answers as usual, but does not store.
std::string as_dry_run(std::string path) {
  constexpr std::string_view kDryRun = "dryRun=All";
  if (path.find(kDryRun) != std::string::npos) return path;
  path += path.find('?') == std::string::npos ? '?' : '&';
  return path.append(kDryRun);
}

}  // namespace

ApiClient::ApiClient(Loop& loop, Credentials credentials, ClientLimits limits)
    : loop_(loop),
      limits_(limits),
      tokens_(limits.burst),
      authorisation_(loop, std::move(credentials), [this](const std::string& text) {
        if (on_credentials_error) on_credentials_error(text);
      }) {}

// ---------------------------------------------------------------- slots

// Suspends until another request releases a slot. The slot is already occupied for the resumed request.
struct ApiClient::SlotAwaiter {
  LaneState& lane;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { lane.waiting.push_back({caller}); }
  void await_resume() const {}
};

std::size_t ApiClient::waiting() const {
  std::size_t sum = 0;
  for (const LaneState& lane : lanes_) sum += lane.waiting.size();
  return sum;
}

bool ApiClient::has_free_slot(Lane lane) const {
  if (lane == Lane::kUrgent) return true;
  const bool is_rush = state_of(Lane::kDecision).waiting.size() >= limits_.pressure_begins_at;
  const std::size_t most = is_rush ? limits_.in_flight_under_pressure : limits_.in_flight;
  return in_flight_ < most && state_of(lane).in_flight < slot_limit(lane);
}

std::size_t ApiClient::slot_limit(Lane lane) const {
  const std::size_t most = limits_.per_lane[static_cast<std::size_t>(lane)];
  const auto in_flight = state_of(Lane::kDecision).in_flight + state_of(Lane::kEviction).in_flight;
  if (lane < Lane::kFollowUp || in_flight == 0) return most;
  const auto& waiting = state_of(lane).waiting;
  const auto waited = waiting.empty() ? Clock::duration::zero() : Clock::now() - waiting.front().since;
  return std::min(most, static_cast<std::size_t>(waited / limits_.patience));
}

void ApiClient::occupy(Lane lane) {
  ++in_flight_;
  ++state_of(lane).in_flight;
}

Async<void> ApiClient::acquire_slot(Lane lane, bool is_write) {
  if (state_of(lane).waiting.empty() && has_free_slot(lane)) {
    occupy(lane);
  } else {
    const SlotAwaiter slot{state_of(lane)};
    co_await slot;
  }
  const bool is_limited = is_write && lane != Lane::kUrgent;
  if (is_limited && limits_.writes_per_second > 0) co_await wait_for_token();
}

Async<void> ApiClient::wait_for_token() {
  for (;;) {
    const auto wait = time_to_token();
    if (wait <= Clock::duration::zero() || loop_.stopping()) co_return;
    co_await loop_.sleep(wait);
  }
}

// Passes the slot to the request that has waited longest in the first lane that may send. A resumed request
// that ends immediately calls this function again; `is_waking_` keeps the recursion flat.
void ApiClient::release_slot(Lane lane) {
  --in_flight_;
  --state_of(lane).in_flight;
  if (is_waking_) return;
  is_waking_ = true;
  for (const Lane next :
       {Lane::kDecision, Lane::kEviction, Lane::kOrdinary, Lane::kFollowUp, Lane::kBackground})
    for (auto& waiting = state_of(next).waiting; !waiting.empty() && has_free_slot(next);) {
      const auto first = waiting.front().caller;
      waiting.pop_front();
      occupy(next);
      first.resume();
    }
  is_waking_ = false;
}

// Takes a token and returns zero, or returns how long it takes until there is a token.
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
  if (!is_watch) co_await acquire_slot(lane, request.method != "GET");
  HttpResponse response;
  try {
    response = co_await send_if_wanted(&request);
  } catch (...) {
    response = {.error = "the request failed: " + text_of_exception(std::current_exception())};
  }
  if (!is_watch) release_slot(lane);
  co_return response;
}

namespace {

// Counts a write while it is in flight.
class CountedWrite {
 public:
  CountedWrite(std::size_t& count, bool is_counted) : count_(count), by_(is_counted ? 1 : 0) {
    count_ += by_;
  }
  ~CountedWrite() { count_ -= by_; }
  CountedWrite(const CountedWrite&) = delete;
  CountedWrite& operator=(const CountedWrite&) = delete;

 private:
  std::size_t& count_;
  const std::size_t by_;
};

HttpResponse without_answer(std::string why) {
  HttpResponse response;
  response.error = std::move(why);
  return response;
}

}  // namespace

Async<HttpResponse> ApiClient::send_if_wanted(ApiRequest* request) {
  const bool is_counted = request->method != "GET" && request->lane != Lane::kUrgent;
  const auto is_wanted = std::move(request->before_sending);
  if (!may_begin(*request)) co_return without_answer("not sent: shutting down or no longer the leader");
  if (is_wanted && !is_wanted(*request)) co_return without_answer("not sent: no longer needed");
  const CountedWrite counted(writes_under_way_, is_counted);
  co_return co_await send_authorised(request);
}

// Sends nothing without credentials: the server would treat muster as an anonymous user, and its 403 would
// say nothing about which kinds exist.
Async<HttpResponse> ApiClient::send_authorised(const ApiRequest* request) {
  const std::optional<Error> problem = co_await authorisation_.ready();
  if (problem) {
    if (on_answer) on_answer(*request, 0, Clock::duration::zero());
    co_return without_answer("no credentials: " + problem->text());
  }
  const std::uint64_t sent_with = authorisation_.version();
  HttpResponse response = co_await send_once(request);
  if (response.status != 401) co_return response;
  const bool is_renewed = co_await authorisation_.renew(sent_with);
  if (is_renewed) response = co_await send_once(request);
  co_return response;
}

HttpRequest ApiClient::http_request(const ApiRequest& request) const {
  HttpRequest http{.method = request.method,
                   .url = server() + request.path,
                   .headers = {fmt::format("Accept: {}", request.accept), "User-Agent: muster"},
                   .body = request.body,
                   .timeout = request.timeout,
                   .idle_timeout = request.idle_timeout,
                   .on_line = request.on_line,
                   .owner = request.owner,
                   .allow_http = authorisation_.allow_http()};
  if (const std::string& bearer = authorisation_.bearer(); !bearer.empty())
    http.headers.push_back("Authorization: Bearer " + bearer);
  if (http.is_write() && limits_.dry_run) http.url = server() + as_dry_run(request.path);
  if (http.is_write()) http.headers.push_back(fmt::format("Content-Type: {}", request.content_type));
  return http;
}

Async<HttpResponse> ApiClient::send_once(const ApiRequest* request) {
  HttpRequest http = http_request(*request);
  const auto start = Clock::now();
  HttpResponse response = co_await loop_.send(std::move(http), &authorisation_.tls());
  if (on_answer) on_answer(*request, response.status, Clock::now() - start);
  co_return response;
}

bool is_transient(const HttpResponse& response) {
  return response.status == 0 || response.status == 401 || response.status == 429 || response.status == 408 ||
         response.status >= 500;
}

namespace {

// The message of the Status object in an error response; "" if there is none.
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
