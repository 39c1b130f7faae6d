// Expected runtime.
#include "plugins/expected_runtime.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/requeue_settings.hpp"
#include "engine/session.hpp"
#include "util/keys.hpp"

namespace muster::plugins {
namespace {

constexpr const char* kName = "expectedruntime";

// Jobs that opted in, themselves or by their queue, by namespace and name.
std::vector<JobId> candidates(const Cluster& c) {
  std::vector<JobId> jobs(c.opted_in().begin(), c.opted_in().end());
  const auto sets_default = [](const Queue& q) { return q.present && !q.expected_runtime.empty(); };
  if (std::any_of(c.queues().begin(), c.queues().end(), sets_default)) {
    jobs.clear();
    for (JobId j : ids(c.jobs())) jobs.push_back(j);
  }
  std::erase_if(jobs, [&](JobId j) { return !c.job(j).present || !expected_runtime(c, j); });
  std::sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
    const Job &x = c.job(a), &y = c.job(b);
    return x.ns != y.ns ? x.ns < y.ns : x.name < y.name;
  });
  return jobs;
}

std::string bad_value(const char* key, const std::string& value, const char* wanted) {
  return fmt::format("annotation {}: \"{}\" is no {}", key, value, wanted);
}

void judge(const Session& s, JobId id, RequeueRecord& record) {
  const Job& job = s.cluster.job(id);
  const auto skip = [&](const char* reason, std::string problem = "") { record.skip(id, kName, reason, std::move(problem)); };
  if (job.counts.active_allocated() == 0) return skip("not_running");
  if (!can_lose_tasks(job)) return skip("not_preemptible");
  const std::string text = *expected_runtime(s.cluster, id);
  const auto expected = parse_duration(text);
  if (!expected || *expected <= Duration::zero())
    return skip("invalid_duration", bad_value(keys::kExpectedRuntime, text, "positive duration"));
  if (!job.last_start) return skip("missing_start");
  if (s.now < *job.last_start)
    return skip("clock_skew", "its last start, " + format_time(*job.last_start) + ", is in the future");
  if (job.requeue_not_before) {
    const auto not_before = parse_time(*job.requeue_not_before);
    if (!not_before)
      return skip("invalid_not_before", bad_value(keys::kRequeueNotBefore, *job.requeue_not_before, "RFC 3339 time"));
    if (s.now < *not_before) return skip("cooldown");
  }
  const Duration overrun = s.now - *job.last_start - *expected;
  if (overrun >= Duration::zero()) record.nominate(id, kName, overrun);
}

}  // namespace

std::unique_ptr<Plugin> make_expected_runtime() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.nominate.add([&s](RequeueRecord& record) {
      for (JobId j : candidates(s.cluster)) judge(s, j, record);
    });
  });
}

}  // namespace muster::plugins
