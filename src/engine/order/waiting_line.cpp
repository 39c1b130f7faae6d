// Sorted once. A job that changes is removed from its leaf and inserted again at its new position.
#include "engine/order/waiting_line.hpp"

#include <algorithm>

#include "engine/order/waiting_jobs.hpp"

namespace muster {

auto WaitingLine::youngest_first() const {
  return [&c = session_.cluster](JobId a, JobId b) { return age(c.job(b)) < age(c.job(a)); };
}

WaitingLine::WaitingLine(Session& session, Who who) : session_(session), who_(who) {
  const Cluster& c = session.cluster;
  for (JobId j : session.waiting()) {
    if (!stands_in_line(j)) continue;
    Leaf& leaf = leaves_[c.job(j).queue];
    leaf.jobs.push_back({session.entry(j), session.chunk(j).wanted});
    leaf.by_age.push_back(j);
    entries_[j] = leaf.jobs.back().job;
  }
  for (auto& [queue, leaf] : leaves_) {
    queues_.push_back(queue);
    std::sort(leaf.jobs.begin(), leaf.jobs.end(),
              [&](const Waiting& a, const Waiting& b) { return session.job_before(a.job, b.job); });
    leaf.same_demand =
        std::all_of(leaf.jobs.begin(), leaf.jobs.end(),
                    [&first = leaf.jobs.front()](const Waiting& w) { return w.wanted == first.wanted; });
    std::sort(leaf.by_age.begin(), leaf.by_age.end(), youngest_first());
  }
  std::sort(queues_.begin(), queues_.end(), [&](QueueId a, QueueId b) {
    const Queue &x = c.queue(a), &y = c.queue(b);
    return x.meta.created != y.meta.created ? x.meta.created < y.meta.created : x.name < y.name;
  });
}

bool WaitingLine::stands_in_line(JobId id) const {
  if (who_ == Who::kConsidered) return !why_not_considered(session_.cluster, id);
  return session_.cluster.job(id).is_in_named_queue;
}

void WaitingLine::update(JobId id) {
  const auto found = leaves_.find(session_.cluster.job(id).queue);
  if (found == leaves_.end()) return;
  Leaf& leaf = found->second;
  remove(leaf, id);
  if (session_.cluster.job(id).has_pending() && stands_in_line(id))
    add(leaf, {session_.entry(id), session_.chunk(id).wanted});
}

void WaitingLine::remove(Leaf& leaf, JobId id) {
  const auto place = this->place(id);
  if (!place) return;
  auto at = leaf.jobs.begin() + static_cast<std::ptrdiff_t>(*place);
  const auto is_it = [&](const Waiting& w) { return w.job.job == id; };
  // If its sort key has already changed, it is still at its old position.
  if (at == leaf.jobs.end() || !is_it(*at)) at = std::find_if(leaf.jobs.begin(), leaf.jobs.end(), is_it);
  leaf.jobs.erase(at);
  entries_.erase(id);
  while (!leaf.by_age.empty() && !entries_.contains(leaf.by_age.back())) leaf.by_age.pop_back();
}

void WaitingLine::add(Leaf& leaf, const Waiting& waiting) {
  const auto before = [&](const Waiting& a, const Waiting& b) { return session_.job_before(a.job, b.job); };
  const JobId job = waiting.job.job;
  leaf.same_demand = leaf.same_demand && (leaf.jobs.empty() || waiting.wanted == leaf.jobs.front().wanted);
  leaf.jobs.insert(std::lower_bound(leaf.jobs.begin(), leaf.jobs.end(), waiting, before), waiting);
  leaf.by_age.insert(std::lower_bound(leaf.by_age.begin(), leaf.by_age.end(), job, youngest_first()), job);
  entries_[job] = waiting.job;
}

std::optional<std::size_t> WaitingLine::place(JobId id) const {
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return std::nullopt;
  const auto& jobs = leaves_.find(session_.cluster.job(id).queue)->second.jobs;
  const auto at = std::partition_point(
      jobs.begin(), jobs.end(), [&](const Waiting& w) { return session_.job_before(w.job, entry->second); });
  return static_cast<std::size_t>(at - jobs.begin());
}

}  // namespace muster
