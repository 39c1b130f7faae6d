// Sends authenticated requests to the API server, limits how many are in flight, and sends urgent ones first.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <string>

#include "kube/async.hpp"
#include "kube/authorisation.hpp"
#include "kube/credentials.hpp"
#include "kube/loop.hpp"
#include "util/result.hpp"

namespace muster::kube {

// Priority classes of requests. Urgent requests never wait. All others wait for a free slot, decisions first.
// Follow-ups and background requests wait until no decision is in flight, but at most ClientLimits::patience.
// Evictions cause work for every watcher, so only a few are sent at a time.
enum class Lane { kUrgent, kDecision, kEviction, kOrdinary, kFollowUp, kBackground };
inline constexpr std::size_t kLanes = 6;

inline constexpr const char* kJson = "application/json";
inline constexpr const char* kMergePatch = "application/merge-patch+json";
inline constexpr const char* kStrategicPatch = "application/strategic-merge-patch+json";

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // with query
  std::string body = {};
  const char* content_type = kJson;
  const char* accept = kJson;
  Lane lane = Lane::kOrdinary;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::seconds idle_timeout{0};                // see HttpRequest
  std::function<bool(std::string_view)> on_line = {};  // for watches, see HttpRequest; needs no slot
  const void* owner = nullptr;
  // Called right before sending; may still fill in the request, but must not change its lane or whether it is
  // a read. Returning false drops the request; the response then has status 0.
  std::function<bool(ApiRequest&)> before_sending = {};
};

struct ClientLimits {
  double writes_per_second = 0;  // 0: unlimited
  double burst = 0;
  // All lanes but the urgent one together. More concurrency costs the API server more than it gains.
  std::size_t in_flight = 32;
  // `in_flight_under_pressure` replaces `in_flight` while at least `pressure_begins_at` decisions wait, such
  // as the binds of a large gang. A gang should not stay half bound for long.
  std::size_t in_flight_under_pressure = 64, pressure_begins_at = 128;
  std::array<std::size_t, kLanes> per_lane = {64, 64, 8, 64, 8, 4};
  // How long follow-ups and background requests yield to decisions. For every further period that the first
  // one of a lane waits, the lane gets one more slot.
  std::chrono::milliseconds patience{2'000};
  // The API server validates every write but stores nothing.
  bool dry_run = false;
};

// REQUIRES: all members are called on the loop's thread.
class ApiClient {
 public:
  ApiClient(Loop& loop, Credentials credentials, ClientLimits limits = {});

  // Never throws. The status of the response is 0 if there was no answer, or if nothing was sent because
  // there are no credentials.
  Async<HttpResponse> send(ApiRequest request);
  Async<HttpResponse> get(std::string path) { return send({.path = std::move(path)}); }

  // From now on, no background write is started.
  void begin_draining() { is_draining_ = true; }
  bool is_draining() const { return is_draining_; }
  // From now on, no write is started, and writes in flight are cancelled, because this process may no longer
  // be the leader. Urgent writes continue: leader election needs them.
  void forbid_writes();
  bool may_write() const { return may_write_; }
  bool is_dry_run() const { return limits_.dry_run; }
  // Writes in flight, not counting urgent ones.
  std::size_t writes_in_flight() const { return writes_under_way_; }

  Loop& loop() { return loop_; }
  const std::string& server() const { return authorisation_.server(); }
  std::size_t waiting() const;
  // Called with a message when credentials cannot be obtained.
  std::function<void(const std::string& text)> on_credentials_error;
  // Called for every response; status 0 means there was no answer.
  std::function<void(const ApiRequest& request, int status, std::chrono::nanoseconds took)> on_answer;

 private:
  struct Waiter {
    std::coroutine_handle<> caller;
    Clock::time_point since = Clock::now();
  };
  struct LaneState {
    std::deque<Waiter> waiting;
    std::size_t in_flight = 0;
  };
  struct SlotAwaiter;
  Async<HttpResponse> send_if_wanted(ApiRequest* request);
  Async<HttpResponse> send_authorised(const ApiRequest* request);
  Async<HttpResponse> send_once(const ApiRequest* request);
  HttpRequest http_request(const ApiRequest& request) const;
  Async<void> acquire_slot(Lane lane, bool is_write);
  void release_slot(Lane lane);
  bool may_begin(const ApiRequest& request) const;
  bool has_free_slot(Lane lane) const;
  std::size_t slot_limit(Lane lane) const;
  void occupy(Lane lane);
  LaneState& state_of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  const LaneState& state_of(Lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
  Async<void> wait_for_token();
  Clock::duration time_to_token();

  Loop& loop_;
  ClientLimits limits_;
  std::size_t in_flight_ = 0;
  std::array<LaneState, kLanes> lanes_;
  double tokens_ = 0;
  Clock::time_point tokens_at_ = Clock::now();
  std::size_t writes_under_way_ = 0;
  bool may_write_ = true, is_draining_ = false, is_waking_ = false;
  Authorisation authorisation_;
};

// Returns true if the same request may succeed later: there was no answer, there were too many requests, the
// server had an error, or the token has expired.
bool is_transient(const HttpResponse& response);
// A description for logs, such as "404 podgroups "x" not found" or "no answer: Connection refused". It does
// not contain the request.
std::string describe(const HttpResponse& response);

}  // namespace muster::kube
