// Opens the session, runs and times the actions one after another until they displace nothing that the same
// cycle has placed, and closes the session.
#include "engine/cycle/run_cycle.hpp"

#include <cassert>
#include <chrono>

#include "engine/cycle/session.hpp"
#include "engine/place/settle_plan.hpp"

namespace muster {
namespace {

// Plans settle after two or three rounds. The limit only guards against plans that never would.
constexpr int kMostRounds = 10;

double milliseconds(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

void run_action(Action& action, Session& session) {
  session.begin_action(action.name());
  const Duration start = session.elapsed();
  action.run(session);
  session.stats.milliseconds = milliseconds(session.elapsed() - start);
  session.record_stats();
  assert(session.cluster.recount().empty() && "the kept sums differ from a recount");
}

// Returns whether the actions may find more to do: they took something from running jobs, or from jobs that
// the cycle itself had placed.
bool run_round(const Policy& policy, Session& session, bool is_first) {
  const std::size_t evictions = session.decisions.evictions.size();
  for (const auto& action : policy.actions)
    if (is_first || !action->runs_once()) run_action(*action, session);
  if (!policy.settings.compatibility.settled_plans) return false;
  const bool has_taken = session.decisions.evictions.size() > evictions;
  return settle_plan(session) || has_taken;
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
