// Refreshes past use, ages it, and reports when it is unavailable.
#include "serve/usage/usage_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kube/api_client.hpp"
#include "kube/waiting.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/write/queue_notices.hpp"
#include "usage/window.hpp"

namespace muster::serve {
namespace {

// Events are kept for an hour; they are repeated so that users always find a recent one.
constexpr auto kReportAgain = std::chrono::minutes(5);
constexpr Duration kRetryWhileAwaited = std::chrono::seconds(1);

QueueUsage scaled(QueueUsage usage, double factor) {
  for (auto& [queue, shares] : usage)
    for (double& share : shares) share *= factor;
  return usage;
}

}  // namespace

UsageKeeper::UsageKeeper(const WriteServices& parts, const UsageSettings& settings,
                         std::unique_ptr<UsageSource> source, kube::Signal& news)
    : p_(parts), settings_(settings), source_(std::move(source)), news_(news) {}

void UsageKeeper::begin() {
  if (!source_) return;
  waits_until_ = kube::Clock::now() + settings_.wait_timeout;
  kube::spawn(run(), "reading past use");
}

bool UsageKeeper::is_awaited() const { return source_ && !was_reached_ && kube::Clock::now() < waits_until_; }

kube::Async<void> UsageKeeper::run() {
  while (!p_.client.loop().stopping()) {
    const TimePoint now = exact_wall_clock();
    const auto start = kube::Clock::now();
    UsageAnswer answer;
    try {
      answer = co_await source_->refresh(now);
    } catch (const std::exception& failure) {
      answer = UsageAnswer();
      answer.trouble = failure.what();
    }
    if (p_.client.loop().stopping()) co_return;
    if (answer.shares) p_.metrics.usage_refreshed(kube::Clock::now() - start);
    take(std::move(answer), now);
    co_await p_.client.loop().sleep(pause(exact_wall_clock()));
  }
}

// Refreshes at the beginning of a new window, so that the previous one does not affect decisions any longer.
std::chrono::nanoseconds UsageKeeper::pause(TimePoint now) const {
  Duration pause = settings_.fetch_interval;
  if (is_awaited()) pause = std::min(pause, kRetryWhileAwaited);
  if (const auto reset = next_reset(settings_, now)) pause = std::min(pause, *reset - now);
  return std::max<Duration>(pause, std::chrono::milliseconds(1));
}

void UsageKeeper::take(UsageAnswer answer, TimePoint now) {
  trouble_ = std::move(answer.trouble);
  if (!trouble_.empty()) p_.metrics.usage_failed();
  if (answer.shares) {
    value_ = std::move(*answer.shares);
    value_at_ = now;
  }
  if (value_at_) in_force_ = scaled(value_, remaining_share(settings_, *value_at_, now));
  was_reached_ |= answer.was_reached;
  log_change(std::exchange(state_, state_at(now)));
  news_.give();
}

UsageKeeper::State UsageKeeper::state_at(TimePoint now) const {
  if (trouble_.empty()) return State::kGood;
  if (!value_at_) return State::kUnknown;
  return now - *value_at_ > staleness_of(settings_) ? State::kStale : State::kLate;
}

std::string UsageKeeper::state_text() const {
  switch (state_) {
    case State::kGood:
      return "past use is up to date";
    case State::kLate:
      return fmt::format("past use was last read at {}: {}", format_time(*value_at_), trouble_);
    case State::kStale:
      return fmt::format("past use was last read at {}{}: {}", format_time(*value_at_),
                         settings_.fades_when_stale ? " and counts less and less" : "", trouble_);
    case State::kUnknown:
      break;
  }
  return "past use is unknown; every queue counts as unused: " + trouble_;
}

void UsageKeeper::log_change(State from) {
  if (from == state_) return;
  if (state_ == State::kGood)
    p_.log.info(state_text());
  else
    p_.log.warning(state_text());
}

void UsageKeeper::cycle_ran(const Cluster& cluster) {
  if (!source_) return;
  const TimePoint now = exact_wall_clock();
  source_->saw(cluster, now);
  if (value_at_) p_.metrics.usage_age(now - *value_at_);
  report_to_queues(cluster);
}

// True if the lack of past use affects decisions. A Prometheus that has just started gets as much time as the
// scheduler would wait for it.
bool UsageKeeper::is_missed() const {
  if (state_ == State::kUnknown) return kube::Clock::now() >= waits_until_;
  return state_ == State::kStale;
}

// Reports to queues while past use is missing, and once when it is available again.
void UsageKeeper::report_to_queues(const Cluster& cluster) {
  const bool is_bad = is_missed();
  const bool is_change = is_bad != queues_know_trouble_;
  if (!is_change && (!is_bad || kube::Clock::now() - reported_at_ < kReportAgain)) return;
  queues_know_trouble_ = is_bad;
  reported_at_ = kube::Clock::now();
  for (const Queue& queue : cluster.queues())
    if (queue.present)
      p_.events.record({.about = reference_to(queue),
                        .is_warning = is_bad,
                        .reason = is_bad ? "UsageUnavailable" : "UsageAvailable",
                        .message = state_text()});
}

kube::Async<void> UsageKeeper::finish() {
  if (source_) co_await source_->finish();
}

}  // namespace muster::serve
