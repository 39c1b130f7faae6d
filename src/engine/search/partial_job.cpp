// A preemptor with only some of its tasks, as tried by a probe: its position in the order, and the tasks that
// KAI would try.
#include "engine/search/partial_job.hpp"

#include <algorithm>

#include "engine/order/gang_view.hpp"

namespace muster {
namespace {

class PartialCopy {
 public:
  PartialCopy(const Session& session, JobId id, std::span<const TaskId> first)
      : copy_(session.cluster.job(id)), waiting_(copy_.pod_sets.size()), view_(session, copy_) {
    for (TaskId t : first) waiting_[session.cluster.task(t).pod_set].push_back(t);
    for (std::uint32_t p = 0; p < waiting_.size(); ++p)
      if (tasks_in(p) > 0) copy_.pod_sets[p].minimum = std::min(copy_.pod_sets[p].minimum, tasks_in(p));
    lower_required(kRoot);
  }

  void collect(std::vector<TaskId>& tasks) const {
    view_.take_next(kRoot, [&](std::uint32_t p) {
      const std::size_t count = std::min(waiting_[p].size(), static_cast<std::size_t>(view_.wanted(p)));
      tasks.insert(tasks.end(), waiting_[p].begin(),
                   waiting_[p].begin() + static_cast<std::ptrdiff_t>(count));
      return count > 0;
    });
  }

 private:
  std::int32_t tasks_in(std::uint32_t pod_set) const {
    return view_.active(pod_set) + static_cast<std::int32_t>(waiting_[pod_set].size());
  }

  // Returns whether the member has tasks.
  bool lower_required(const Member& member) {
    if (member.is_pod_set) return tasks_in(member.at) > 0;
    GroupSet& set = copy_.sets[member.at];
    std::int32_t populated = 0;
    for (const Member& m : set.members) populated += lower_required(m);
    if (set.min_sub_group) set.min_sub_group = std::min(*set.min_sub_group, populated);
    return populated > 0;
  }

  Job copy_;
  std::vector<std::vector<TaskId>> waiting_;  // by pod set
  GangView view_;
};

}  // namespace

void tasks_of_partial_copy(const Session& session, JobId job, std::span<const TaskId> first,
                           std::vector<TaskId>& tasks) {
  tasks.clear();
  const auto& sets = session.cluster.job(job).sets;
  const auto lowers = [](const GroupSet& set) { return set.min_sub_group.has_value(); };
  if (std::ranges::none_of(sets, lowers))
    tasks.assign(first.begin(), first.end());
  else
    PartialCopy(session, job, first).collect(tasks);
}

JobEntry partial_entry(const Session& s, JobId id, std::span<const TaskId> tasks) {
  const Job& job = s.cluster.job(id);
  ElasticState state = ElasticState::kExact;
  for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p) {
    const std::int32_t active = job.pod_sets[p].counts.active_allocated();
    const auto added = static_cast<std::int32_t>(
        std::count_if(tasks.begin(), tasks.end(), [&](TaskId t) { return s.cluster.task(t).pod_set == p; }));
    const std::int32_t minimum =
        active + added > 0 ? std::min(job.pod_sets[p].minimum, active + added) : job.pod_sets[p].minimum;
    if (active < minimum) return s.entry(id, ElasticState::kBelow);
    if (active > minimum) state = ElasticState::kAbove;
  }
  return s.entry(id, state);
}

}  // namespace muster
