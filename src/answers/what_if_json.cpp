// The answer of what-if as JSON: muster.dev/what-if/v1.
#include <map>
#include <nlohmann/json.hpp>

#include "answers/json.hpp"

namespace muster::answers {
namespace {

using nlohmann::ordered_json;

ordered_json amounts_json(const Cluster& c, const QueueShare& share, Accounted r) {
  const QueueAmounts& amounts = c.queue(share.queue).of(r);
  return {{"quota", amounts.quota},
          {"limit", amounts.limit},
          {"overQuotaWeight", amounts.weight},
          {"fairShare", share.fair_share[index(r)]},
          {"inUse", c.use(share.queue).allocated.share(r)}};
}

ordered_json outcome_json(const Outcome& outcome) {
  const Cluster& c = outcome.cluster;
  std::size_t running = 0;
  for (JobId j : ids(c.jobs())) running += is_at_minimum(c, j);
  ordered_json queues = ordered_json::array();
  for (const QueueShare& share : outcome.settled.last.shares)
    queues.push_back({{"name", c.queue(share.queue).name},
                      {"resources",
                       {{"cpu", amounts_json(c, share, Accounted::kCores)},
                        {"memory", amounts_json(c, share, Accounted::kBytes)},
                        {"gpu", amounts_json(c, share, Accounted::kGpus)}}}});
  return {{"cycles", outcome.settled.cycles},
          {"atRest", outcome.settled.is_reached},
          {"jobsRunning", running},
          {"jobsWaiting", outcome.settled.last.waiting.size()},
          {"queues", std::move(queues)}};
}

}  // namespace

ordered_json starts_json(const std::vector<StartMove>& starts) {
  ordered_json list = ordered_json::array();
  const auto start_time = [](const std::optional<TimePoint>& at) {
    return at ? ordered_json(format_time(*at)) : ordered_json();
  };
  for (const StartMove& move : starts)
    list.push_back(
        {{"job", move.job}, {"before", start_time(move.before)}, {"after", start_time(move.after)}});
  return list;
}

ordered_json what_if_json(const std::vector<Change>& changes, const Outcome& before, const Outcome& after,
                          const Differences& d) {
  ordered_json list = ordered_json::array(), waiting = ordered_json::array(), reasons = ordered_json::array();
  for (const Change& change : changes) list.push_back(change_json(change));
  for (const StillWaiting& w : d.still_waiting)
    waiting.push_back({{"job", w.job}, {"reasons", reasons_json(after.cluster, w.why->reasons)}});
  for (const ReasonChange& r : d.reasons)
    reasons.push_back({{"job", r.job}, {"before", r.before}, {"after", r.after}});
  return {{"schema", "muster.dev/what-if/v1"},
          {"changes", std::move(list)},
          {"before", outcome_json(before)},
          {"after", outcome_json(after)},
          {"placed", d.placed},
          {"evicted", d.evicted},
          {"moved", d.moved},
          {"noLongerPlaced", d.lost},
          {"drained", d.drained},
          {"reasonsChanged", std::move(reasons)},
          {"startsMoved", starts_json(d.starts)},
          {"stillWaiting", std::move(waiting)}};
}

}  // namespace muster::answers
