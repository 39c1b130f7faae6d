// Requests to the API server: whom we are sent along, bounded in number, urgent ones first.
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

// Urgent requests wait for nobody. The others wait for a free place, decisions first. What follows from a
// decision and what merely tells about it wait until no decision is under way, or until they are out of
// patience. Evictions give work to everybody who watches: a few at a time.
enum class Lane { kUrgent, kDecision, kEviction, kOrdinary, kFollowUp, kBackground };
inline constexpr std::size_t kLanes = 6;

inline constexpr const char* kJson = "application/json";
inline constexpr const char* kMergePatch = "application/merge-patch+json";
inline constexpr const char* kStrategicPatch = "application/strategic-merge-patch+json";

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // with its query
  std::string body = {};
  const char* content_type = kJson;
  const char* accept = kJson;
  Lane lane = Lane::kOrdinary;
  std::chrono::milliseconds timeout{30'000};
  std::chrono::seconds longest_silence{0};             // see HttpRequest
  std::function<bool(std::string_view)> on_line = {};  // a watch: see HttpRequest; takes no place
  const void* owner = nullptr;
  // Asked when its turn has come; may complete the request, of which only the lane and whether it is a read
  // count until then. False: it is no longer wanted, and there is no answer.
  std::function<bool(ApiRequest&)> before_sending = {};
};

struct ClientLimits {
  double writes_per_second = 0;  // 0: no limit
  double burst = 0;
  // Of all lanes but the urgent one: more cost the API server more than they gain.
  std::size_t in_flight = 32;
  // While very many decisions wait, such as the binds of a large gang, which shall not be half bound for
  // long.
  std::size_t in_a_rush = 64, rush_begins_at = 128;
  std::array<std::size_t, kLanes> of_lane = {64, 64, 8, 64, 8, 4};
  // How long follow-ups and what is told in the background let decisions go first; they get another place
  // whenever the first in line has waited that long again.
  std::chrono::milliseconds patience{2'000};
  // Every write is asked of the API server with all its checks, and nothing is stored.
  bool dry_run = false;
};

// Everything runs on the loop's thread.
class ApiClient {
 public:
  ApiClient(Loop& loop, Credentials credentials, ClientLimits limits = {});

  // Throws nothing and fails by the answer only: status 0 where there was none, and where nothing was sent
  // because there are no credentials.
  Async<HttpResponse> send(ApiRequest request);
  Async<HttpResponse> get(std::string path) { return send({.path = std::move(path)}); }

  // After this nothing that merely tells of decisions is begun.
  void begin_draining() { is_draining_ = true; }
  bool is_draining() const { return is_draining_; }
  // After this no write is begun, and those under way are cut: we may not be the leader any more. Urgent ones
  // are what leads are made of, and go on.
  void forbid_writes();
  bool may_write() const { return may_write_; }
  bool is_dry_run() const { return limits_.dry_run; }
  // But for urgent ones.
  std::size_t writes_under_way() const { return writes_under_way_; }

  Loop& loop() { return loop_; }
  const std::string& server() const { return authorisation_.server(); }
  std::size_t waiting() const;
  // Told where nobody can say who we are, in words.
  std::function<void(const std::string& text)> on_trouble;
  // Told of every answer; status 0: there was none.
  std::function<void(const ApiRequest& request, int status, std::chrono::nanoseconds took)> on_answer;

 private:
  struct Waiter {
    std::coroutine_handle<> caller;
    Clock::time_point since = Clock::now();
  };
  struct Line {
    std::deque<Waiter> waiting;
    std::size_t in_flight = 0;
  };
  struct Place;
  Async<HttpResponse> send_if_wanted(ApiRequest& request);
  Async<HttpResponse> send_authorised(const ApiRequest& request);
  Async<HttpResponse> send_once(const ApiRequest& request);
  HttpRequest http_request(const ApiRequest& request) const;
  Async<void> take_place(const ApiRequest& request);
  void give_place_back(Lane lane);
  bool may_begin(const ApiRequest& request) const;
  bool has_place(Lane lane) const;
  std::size_t places_of(Lane lane) const;
  void occupy(Lane lane);
  Line& line_of(Lane lane) { return lines_[static_cast<std::size_t>(lane)]; }
  const Line& line_of(Lane lane) const { return lines_[static_cast<std::size_t>(lane)]; }
  Async<void> wait_for_token();
  Clock::duration time_to_token();

  Loop& loop_;
  ClientLimits limits_;
  std::size_t in_flight_ = 0;
  std::array<Line, kLanes> lines_;
  double tokens_ = 0;
  Clock::time_point tokens_at_ = Clock::now();
  std::size_t writes_under_way_ = 0;
  bool may_write_ = true, is_draining_ = false, is_waking_ = false;
  Authorisation authorisation_;
};

// True where the same request may succeed later: no answer, too many requests, trouble of the server, a token
// of ours that has run out.
bool is_transient(const HttpResponse& response);
// "404 podgroups "x" not found", "no answer: Connection refused": for logs; says nothing of what was sent.
std::string describe(const HttpResponse& response);

}  // namespace muster::kube
