// Sends updates in order and retries after conflicts.
#include "serve/write/status_queue.hpp"

#include <chrono>
#include <utility>

namespace muster::serve {
namespace {

constexpr int kWorkers = 4;
constexpr std::size_t kMostWaiting = 10'000;
// A conflict means that another client wrote to the object; the watch will show its change.
constexpr int kConflict = 409, kMostTries = 5;
constexpr auto kUntilTheWatchShows = std::chrono::milliseconds(200);

}  // namespace

bool StatusQueue::is_full() const { return waiting_.size() >= kMostWaiting; }

void StatusQueue::put(const std::string& object, Update update) {
  if (is_closed_) return;
  const auto [entry, is_new] = waiting_.insert_or_assign(object, std::move(update));
  if (is_new) order_.push_back(entry->first);
  if (workers_ < kWorkers && is_new) kube::spawn(work(), "writing status");
}

void StatusQueue::drop(const std::string& object) {
  if (const auto found = waiting_.find(object); found != waiting_.end()) found->second.reset();
}

void StatusQueue::close() {
  is_closed_ = true;
  waiting_.clear();
  order_.clear();
}

// Removes and returns the waiting update; a dropped one is removed as well.
std::optional<StatusQueue::Update> StatusQueue::take(const std::string& object) {
  const auto found = waiting_.find(object);
  if (found == waiting_.end()) return std::nullopt;
  std::optional<Update> update = std::move(found->second);
  waiting_.erase(found);
  return update;
}

kube::Async<void> StatusQueue::work() {
  ++workers_;
  while (!order_.empty()) {
    const std::string object = std::move(order_.front());
    order_.pop_front();
    // Each object has one update in progress at a time; the worker of that one takes this update next.
    if (under_way_.contains(object)) continue;
    under_way_.insert(object);
    try {
      co_await deliver(object);
    } catch (...) {
      waiting_.erase(object);
      const std::string why = kube::text_of_exception(std::current_exception());
      kube::FailedTaskHandler::report({"writing the status of " + object, why});
    }
    under_way_.erase(object);
    if (waiting_.contains(object)) order_.push_back(object);
  }
  --workers_;
}

// Takes the update and makes its request only when the client is about to send it, because a newer update may
// arrive before that.
kube::Async<void> StatusQueue::deliver(std::string object) {
  std::optional<Update> sent;
  kube::ApiRequest request{.method = "PATCH", .lane = kube::Lane::kBackground};
  request.before_sending = [&](kube::ApiRequest& blank) {
    sent = take(object);
    std::optional<kube::ApiRequest> made = sent ? sent->make() : std::nullopt;
    if (!made) return false;
    blank = std::move(*made);
    return true;
  };
  const kube::HttpResponse answer = co_await client_.send(std::move(request));
  if (!sent) {
    waiting_.erase(object);  // the client did not ask for the request since writing has ended
    co_return;
  }
  if (answer.ok() && sent->on_success) sent->on_success(answer);
  if (answer.status != kConflict || ++sent->tries >= kMostTries) co_return;
  co_await client_.loop().sleep(kUntilTheWatchShows);
  if (!is_closed_) waiting_.try_emplace(object, std::move(sent));
}

}  // namespace muster::serve
