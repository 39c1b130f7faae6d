// What the actions that make room have in common.
#include "engine/making_room.hpp"

namespace muster {

bool is_hopeless(Session& s, JobId contender) {
  const Chunk chunk = s.chunk(contender, true);
  for (TaskId t : chunk.tasks)
    if (auto refusal = s.hooks.hopeless(t)) {
      s.waits(contender, std::move(*refusal));
      return true;
    }
  return false;
}

bool make_room(Session& s, Solver& solver, JobId contender, const std::string& action, const Candidates& candidates,
               const ScenarioValidator& valid) {
  ++s.stats.jobs_tried;
  Statement st(s);
  if (solver.solve(st, contender, candidates, valid) != Outcome::kSolved) return false;
  st.commit(action, contender);
  solver.committed(contender);
  return true;
}

}  // namespace muster
