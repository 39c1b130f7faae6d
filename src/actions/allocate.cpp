// Places the next chunk of each pending job in turn. The job then goes back into the order with the chunk
// after that.
#include "actions/allocate.hpp"

#include <absl/container/flat_hash_map.h>

#include "engine/order/waiting_jobs.hpp"
#include "engine/place/place_next.hpp"

namespace muster::actions {
namespace {

class Allocate final : public Action {
 public:
  static constexpr const char* kName = "allocate";

  std::string name() const override { return kName; }

  void run(Session& s) override {
    steps_.clear();
    for (JobOrder waiting = waiting_jobs(s, kName); !waiting.empty();) {
      const JobId id = waiting.pop();
      ++s.stats.jobs_tried;
      if (auto reason = place_next(s, kName, id)) {
        s.set_reason(id, std::move(*reason));
        continue;
      }
      if (s.cluster.job(id).has_pending() && !is_put_off(s, id)) waiting.push(id);
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

  absl::flat_hash_map<JobId, std::int64_t> steps_;  // of jobs with very many sub groups, in this cycle
};

}  // namespace

std::unique_ptr<Action> make_allocate() { return std::make_unique<Allocate>(); }

}  // namespace muster::actions
