// Opens the session, runs and times the actions one after another, and closes the session.
#include "engine/cycle/run_cycle.hpp"

#include <cassert>
#include <chrono>

#include "engine/cycle/session.hpp"

namespace muster {
namespace {

double milliseconds(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

void run_action(Action& action, Session& session) {
  session.stats = {.action = action.name()};
  const Duration start = session.elapsed();
  action.run(session);
  session.stats.milliseconds = milliseconds(session.elapsed() - start);
  session.decisions.actions.push_back(session.stats);
  assert(session.cluster.recount().empty() && "the kept sums differ from a recount");
}

}  // namespace

Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now, const CycleContext& aids) {
  const Duration start = aids.elapsed();
  Session session(cluster, policy, now, aids);
  for (const auto& action : policy.actions) action->open(session);
  session.decisions.open_milliseconds = milliseconds(session.elapsed() - start);
  for (const auto& action : policy.actions) run_action(*action, session);
  return session.close();
}

}  // namespace muster
