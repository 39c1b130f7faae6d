// The life of a cycle.
#include "engine/cycle/run_cycle.hpp"

#include <cassert>
#include <chrono>

#include "engine/cycle/session.hpp"

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void run_action(Action& action, Session& session) {
  session.stats = {.action = action.name()};
  const auto start = Clock::now();
  action.run(session);
  session.stats.milliseconds = milliseconds_since(start);
  session.decisions.actions.push_back(session.stats);
  assert(session.cluster.recount().empty() && "the kept sums differ from a recount");
}

}  // namespace

Decisions run_cycle(Cluster& cluster, const Policy& policy, TimePoint now, SearchMemory* memory) {
  const auto start = Clock::now();
  Session session(cluster, policy, now, memory);
  for (const auto& action : policy.actions) action->open(session);
  session.decisions.open_milliseconds = milliseconds_since(start);
  for (const auto& action : policy.actions) run_action(*action, session);
  return session.close();
}

}  // namespace muster
