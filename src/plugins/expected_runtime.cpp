// Checks each job that opted in, records what it found, and nominates the overdue ones.
#include "plugins/expected_runtime.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cycle/session.hpp"
#include "engine/search/requeue_settings.hpp"
#include "util/keys.hpp"

namespace muster::plugins {
namespace {

constexpr const char* kExpectedRuntimeName = "expectedruntime";

// Jobs with an expected runtime of their own or of their queue, by namespace and name.
std::vector<JobId> candidates(const Cluster& c) {
  const auto opted_in = c.job_table().opted_in();
  std::vector<JobId> jobs(opted_in.begin(), opted_in.end());
  const auto sets_default = [](const Queue& q) { return q.present && !q.expected_runtime.empty(); };
  if (std::any_of(c.queues().begin(), c.queues().end(), sets_default)) {
    jobs.clear();
    for (JobId j : ids(c.jobs())) jobs.push_back(j);
  }
  std::erase_if(jobs, [&](JobId j) { return !c.job(j).present || !expected_runtime(c, j); });
  std::sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) { return is_listed_before(c.job(a), c.job(b)); });
  return jobs;
}

std::string bad_value(const char* key, const std::string& value, const char* expected) {
  return fmt::format("annotation {}: \"{}\" is not {}", key, value, expected);
}

// An expected runtime of zero or less counts as invalid.
NominationCheck make_check(const Session& s, JobId id, const std::string& expected) {
  const Job& job = s.cluster.job(id);
  NominationCheck check{.job = id,
                        .by = kExpectedRuntimeName,
                        .active_tasks = job.counts.active_allocated(),
                        .can_lose_tasks = can_lose_tasks(job),
                        .last_start = job.last_start};
  if (const auto given = parse_duration(expected); given && *given > Duration::zero())
    check.expected = *given;
  if (job.last_start) check.runtime = s.now - *job.last_start;
  if (job.requeue_not_before)
    if (const auto given = parse_time(*job.requeue_not_before)) check.not_before = *given;
  return check;
}

// A nomination matters only while some job is pending.
void wake_at(Session& s, TimePoint time) {
  if (!s.cluster.pending_jobs().empty()) s.wake_at(time);
}

void judge(Session& s, JobId id, RequeueRecord& record) {
  const Job& job = s.cluster.job(id);
  const std::string expected = *expected_runtime(s.cluster, id);
  const NominationCheck check = make_check(s, id, expected);
  record.checks.push_back(check);
  const auto skip = [&](const char* reason, std::string problem = "") {
    record.skip(id, kExpectedRuntimeName, reason, std::move(problem));
  };
  // Without an expected runtime of its own, a pending job is not worth a skip record: its queue's default
  // does not concern it yet.
  if (check.active_tasks == 0) return job.expected_runtime ? skip("not_running") : void();
  if (!check.can_lose_tasks) return skip("not_preemptible");
  if (!check.expected)
    return skip("invalid_duration", bad_value(keys::kExpectedRuntime, expected, "a positive duration"));
  if (!check.last_start) return skip("missing_start");
  if (*check.runtime < *check.expected) wake_at(s, *check.last_start + *check.expected);
  if (*check.runtime < Duration::zero())
    return skip("clock_skew", "its last start, " + format_time(*check.last_start) + ", is in the future");
  if (*check.runtime < *check.expected) return;  // not due yet, which needs no record
  if (job.requeue_not_before && !check.not_before)
    return skip("invalid_not_before",
                bad_value(keys::kRequeueNotBefore, *job.requeue_not_before, "an RFC 3339 timestamp"));
  if (check.not_before && s.now < *check.not_before) return wake_at(s, *check.not_before), skip("cooldown");
  record.nominate(id, kExpectedRuntimeName, *check.runtime - *check.expected);
}

// Warns as long as the annotation is there, not only when a job is requeued.
void check_delay(const Session& s, JobId id, RequeueRecord& record) {
  if (auto delay = requeue_delay(s.cluster, id); !delay.problem.empty())
    record.warnings.push_back({id, std::move(delay.problem)});
}

void check_queues(const Cluster& c, RequeueRecord& record) {
  for (QueueId q : ids(c.queues())) {
    if (!c.queue(q).present) continue;
    for (std::string& problem : requeue_problems(c.queue(q)))
      record.queue_warnings.push_back({q, std::move(problem)});
  }
}

}  // namespace

std::unique_ptr<Plugin> make_expected_runtime() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.nominate.add([&s](RequeueRecord& record) {
      check_queues(s.cluster, record);
      for (JobId j : candidates(s.cluster)) {
        check_delay(s, j, record);
        judge(s, j, record);
      }
    });
  });
}

}  // namespace muster::plugins
