// Places the next chunk of each pending job in turn. The job then goes back into the order with the chunk
// after that.
#include "actions/allocate.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "engine/cycle/statement.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "engine/place/allocation.hpp"
#include "util/keys.hpp"

namespace muster::actions {
namespace {

// True if a pod set below its minimum has a task that must wait for its place. Then nothing of this attempt
// starts now.
bool must_wait(const Job& job) {
  return std::any_of(job.pod_sets.begin(), job.pod_sets.end(), [](const PodSet& p) {
    return p.counts.of(TaskStatus::kPipelined) > 0 && p.counts.in(kAllocatedSet) < p.minimum;
  });
}

class Allocate final : public Action {
 public:
  static constexpr const char* kName = "allocate";

  std::string name() const override { return kName; }

  void run(Session& s) override {
    steps_.clear();
    for (JobOrder waiting = waiting_jobs(s, kName); !waiting.empty();) {
      const JobId id = waiting.pop();
      const Job& job = s.cluster.job(id);
      const bool was_started = job.counts.in(kAllocatedSet) > 0;
      ++s.stats.jobs_tried;
      Statement st(s);
      const Chunk chunk = s.chunk(id, Evicted::kAreGone);
      if (auto reason = allocate_or_refuse(s, st, {.job = id, .tasks = chunk.tasks})) {
        s.set_reason(id, std::move(*reason));
        continue;
      }
      const bool waits = must_wait(job);
      if (waits) st.convert_to_pipelined(id);
      st.commit(kName, id);
      if (!waits) s.cluster.placed(id);
      if (!waits && !was_started) note_start(s, id);
      if (job.has_pending() && !is_put_off(s, id)) waiting.push(id);
    }
  }

 private:
  // Each pod beyond a job's minimum requires a look at all its sub groups. If these are very many, the
  // remaining pods wait for the next cycle.
  bool is_put_off(Session& s, JobId id) {
    constexpr std::size_t kMany = 100;
    constexpr std::int64_t kMostSteps = 10'000'000;
    const std::size_t sub_groups = s.cluster.job(id).pod_sets.size();
    if (sub_groups < kMany) return false;
    steps_[id] += static_cast<std::int64_t>(sub_groups);
    if (steps_[id] < kMostSteps) return false;
    s.add_reason(id, {.rule = JobRule::kSearchUnresolved});
    s.decisions.is_unfinished = true;
    return true;
  }

  static void note_start(Session& s, JobId id) {
    s.cluster.started(id, s.now);
    s.annotate(id, keys::kLastStart, s.now_text);
  }

  absl::flat_hash_map<JobId, std::int64_t> steps_;  // of jobs with very many sub groups, in this cycle
};

}  // namespace

std::unique_ptr<Action> make_allocate() { return std::make_unique<Allocate>(); }

}  // namespace muster::actions
