// Keeps one ring buffer of durations per queue and user. Drops the least recently used ring first.
#include "answers/run_history.hpp"

#include <algorithm>
#include <cmath>

namespace muster::answers {
namespace {

constexpr std::int64_t kFewestRuns = 20;  // fewer give no useful 90th percentile

// The percentile by the nearest-rank method.
Duration at_share(const std::vector<Duration>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

std::optional<RunTime> usual_run_time(const RunFigureTable& table, const std::string& queue,
                                      const std::string& user) {
  for (const std::string& of : {user, std::string()})
    if (const auto found = table.find({queue, of});
        found != table.end() && found->second.jobs >= kFewestRuns && found->second.median > Duration::zero())
      return RunTime{RunTime::Law::kLognormal, found->second.median,
                     std::max(found->second.median, found->second.p90)};
  return std::nullopt;
}

void RunHistory::add(const std::string& queue, const std::string& user, Duration ran) {
  note({queue, ""}, ran);
  if (!user.empty()) note({queue, user}, ran);
}

void RunHistory::note(const Key& key, Duration ran) {
  Runs& runs = rows_[key];
  runs.heard = ++clock_;
  if (runs.last.size() < kMostRuns)
    runs.last.push_back(ran);
  else
    runs.last[std::exchange(runs.next, (runs.next + 1) % kMostRuns)] = ran;
  if (rows_.size() > kMostRows) forget_oldest();
}

void RunHistory::forget_oldest() {
  rows_.erase(std::ranges::min_element(rows_, {}, [](const auto& row) { return row.second.heard; }));
}

RunFigureTable RunHistory::figures() const {
  RunFigureTable table;
  for (const auto& [key, runs] : rows_) {
    std::vector<Duration> sorted = runs.last;
    std::ranges::sort(sorted);
    table[key] = {.jobs = std::ssize(sorted), .median = at_share(sorted, 0.5), .p90 = at_share(sorted, 0.9)};
  }
  return table;
}

}  // namespace muster::answers
