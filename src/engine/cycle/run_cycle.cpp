// Opens the session, runs and times the actions one after another until they displace nothing that the same
// cycle has placed, and closes the session.
#include "engine/cycle/run_cycle.hpp"

#include <cassert>
#include <chrono>

#include "engine/cycle/session.hpp"
#include "engine/place/settle_plan.hpp"

namespace muster {
namespace {

// Plans settle after two or three rounds; a long search may need more. The limits guard against plans that
// never would, and against cycles that take long.
constexpr int kMostRounds = 20;
constexpr std::int64_t kFewNodes = 50'000;  // tried by all actions; takes a few hundredths of a second

double milliseconds(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

void run_action(Action& action, Session& session) {
  session.begin_action(action.name());
  const Duration start = session.elapsed();
  action.run(session);
  session.stats.milliseconds = milliseconds(session.elapsed() - start);
  session.record_stats();
  assert(session.cluster.recount().empty() && "the kept sums differ from a recount");
}

// A search that ended early goes on in this cycle if that is cheap and the cycle placed pods: these are moved
// for nothing now, but not in the next cycle.
bool continues_search(Session& session) {
  if (!session.decisions.is_unfinished || session.memory == nullptr || session.decisions.binds.empty())
    return false;
  std::int64_t tried = 0;
  for (const ActionStats& stats : session.decisions.actions) tried += stats.nodes_tried;
  if (tried > kFewNodes) return false;
  session.decisions.is_unfinished = false;
  return true;
}

// Returns whether the actions may find more to do: they took something from running jobs, or from jobs that
// the cycle itself had placed, or a search goes on.
bool run_round(const Policy& policy, Session& session, bool is_first) {
  const std::size_t evictions = session.decisions.evictions.size();
  for (const auto& action : policy.actions)
    if (is_first || !action->runs_once()) run_action(*action, session);
  if (!policy.settings.compatibility.settled_plans) return false;
  const bool has_taken = session.decisions.evictions.size() > evictions;
  return settle_plan(session) || has_taken || continues_search(session);
}

}  // namespace

Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now, const CycleContext& aids) {
  const Duration start = aids.elapsed();
  Session session(cluster, policy, now, aids);
  for (const auto& action : policy.actions) action->open(session);
  session.decisions.open_milliseconds = milliseconds(session.elapsed() - start);
  if (policy.settings.compatibility.settled_plans) restore_plan(session);
  for (int round = 1; run_round(policy, session, round == 1) && round < kMostRounds; ++round)
    session.begin_round();
  return session.close();
}

}  // namespace muster
