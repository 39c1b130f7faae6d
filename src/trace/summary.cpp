// Summarizes the jobs in one pass.
#include "trace/summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "trace/values.hpp"

namespace muster::trace {
namespace {

double gpus_of(const TraceJob& job) { return job.pods * (job.gpus + job.gpu_share); }

bool has_known_duration(const TraceJob& job) {
  return job.work.duration && job.work.duration->law == RunTime::Law::kFixed;
}

double gpu_seconds_of(const TraceJob& job) {
  if (job.work.work) return (job.gpus + job.gpu_share) * seconds(*job.work.work);
  return has_known_duration(job) ? gpus_of(job) * seconds(job.work.duration->first) : 0;
}

void add(const TraceJob& job, QueueSummary& summary) {
  ++summary.jobs;
  summary.pods += static_cast<std::size_t>(job.pods);
  summary.gpus_of_largest = std::max(summary.gpus_of_largest, gpus_of(job));
  summary.gpu_seconds += gpu_seconds_of(job);
}

}  // namespace

TraceSummary summary_of(const Trace& trace) {
  TraceSummary summary;
  std::map<std::string, QueueSummary> queues;
  std::map<std::string, std::set<TextId>> users;
  std::set<TextId> all_users;
  for (const TraceJob& job : trace.jobs) {
    const std::string& queue = trace.texts[job.queue];
    add(job, summary.all);
    add(job, queues[queue]);
    if (job.user != 0) users[queue].insert(job.user), all_users.insert(job.user);
    summary.endless += !job.work.duration && !job.work.work;
    summary.drawn += job.work.duration && !has_known_duration(job);
  }
  for (auto& [name, queue] : queues) {
    queue.name = name;
    queue.users = users[name].size();
    summary.queues.push_back(std::move(queue));
  }
  summary.all.users = all_users.size();
  if (!trace.jobs.empty()) summary.span = trace.jobs.back().submit - trace.jobs.front().submit;
  return summary;
}

}  // namespace muster::trace
