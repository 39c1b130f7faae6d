// A job starts with its first bound pods; later pods leave its start as it is.
#include "engine/place/place_next.hpp"

#include <algorithm>

#include "engine/cycle/statement.hpp"
#include "engine/place/allocation.hpp"

namespace muster {
namespace {

// True if a pod set below its minimum has a task that must wait for its place. Then nothing of this attempt
// starts now.
bool must_wait(const Job& job) {
  return std::any_of(job.pod_sets.begin(), job.pod_sets.end(), [](const PodSet& p) {
    return p.counts.of(TaskStatus::kPipelined) > 0 && p.counts.in(kAllocatedSet) < p.minimum;
  });
}

}  // namespace

std::optional<JobReason> place_next(Session& s, const std::string& action, JobId id, const Bitmap* allowed) {
  const Job& job = s.cluster.job(id);
  const bool was_started = job.counts.in(kAllocatedSet) > 0;
  Statement st(s);
  const Chunk chunk = s.chunk(id, Evicted::kAreGone);
  if (auto reason = allocate_or_refuse(s, st, {.job = id, .tasks = chunk.tasks, .allowed = allowed}))
    return reason;
  const bool waits = must_wait(job);
  if (waits) st.convert_to_pipelined(id);
  st.commit(action, id);
  if (!waits) s.cluster.placed(id);
  if (!waits && !was_started) s.note_start(id);
  return std::nullopt;
}

}  // namespace muster
