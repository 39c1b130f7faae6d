// Runs one cycle on a copy of the state and reads its report about the job. For all other answers, opens a
// session on the state after that cycle.
#include "answers/explain.hpp"

#include <algorithm>

#include "answers/eviction_record.hpp"
#include "answers/nodes.hpp"
#include "answers/running.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "model/holders.hpp"

namespace muster::answers {
namespace {

JobState state_of(const Cluster& after, JobId id, bool was_evicted) {
  const Job& job = after.job(id);
  if (is_at_minimum(after, id)) return JobState::kRunning;
  if (was_evicted) return JobState::kEvicted;
  if (is_waiting(job) || job.counts.in(kActiveUsed) > 0) return JobState::kWaiting;
  const std::int32_t ended = job.counts.of(TaskStatus::kSucceeded) + job.counts.of(TaskStatus::kFailed);
  return ended > 0 ? JobState::kFinished : JobState::kUnknown;
}

// A job that was evicted or requeued is pending from then on.
std::optional<TimePoint> since(const Job& job, JobState state) {
  if (state == JobState::kRunning) return job.last_start;
  if (state == JobState::kEvicted && job.last_eviction) return job.last_eviction;
  if (state != JobState::kWaiting) return std::nullopt;
  TimePoint from = job.created;
  if (job.requeued_at) from = std::max(from, *job.requeued_at);
  return from;
}

// The rule that puts one job of a queue before another.
std::string_view rule_between(const Session& s, JobId ahead, JobId job) {
  const Job &a = s.cluster.job(ahead), &b = s.cluster.job(job);
  if (a.queue != b.queue) return "share";
  if (a.priority != b.priority) return "priority";
  return elastic_state(a) != elastic_state(b) ? "elastic" : "age";
}

Line line_of(Session& s, JobId job) {
  constexpr const char* kWithoutDepth = "";  // the name of no action, so no depth limit applies
  Line line;
  std::vector<JobId> before;
  std::size_t in_queue = 1;
  for (JobOrder order = waiting_jobs(s, kWithoutDepth); !order.empty();) {
    const JobId next = order.pop();
    if (next == job) {
      line.in_queue = in_queue;
      line.overall = before.size() + 1;
      for (JobId b : before) line.ahead.push_back({b, rule_between(s, b, job)});
      break;
    }
    in_queue += s.cluster.job(next).queue == s.cluster.job(job).queue;
    before.push_back(next);
  }
  return line;
}

// Time limits, counted from the start of the answer: for finding what would help, and for the whole answer.
struct AnswerTimes {
  Duration helps{}, whole{};
};
AnswerTimes times_for(const Cluster& cluster, const ExplainOptions& options) {
  using std::chrono::milliseconds;
  constexpr std::size_t kThousands = 2000;
  if (options.time) return {*options.time, *options.time * 3 / 2};
  if (cluster.jobs().size() < kThousands) return {milliseconds(2000), milliseconds(3000)};
  return {milliseconds(400), milliseconds(900)};
}

template <class Decision>
bool is_among(const Cluster& cluster, const std::vector<Decision>& decisions, JobId job) {
  return std::ranges::any_of(decisions, [&](const Decision& d) { return cluster.task(d.task).job == job; });
}

}  // namespace

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::kWaiting:
      return "waiting";
    case JobState::kRunning:
      return "running";
    case JobState::kEvicted:
      return "evicted";
    case JobState::kFinished:
      return "finished";
    case JobState::kUnknown:
      break;
  }
  return "unknown";
}

Explanation explain(const State& state, JobId job, const ExplainOptions& options) {
  const SteadyStopwatch stopwatch;
  const Duration begin = stopwatch.elapsed();
  Cluster after = state.cluster;
  Decisions decided = run_cycle(after, state.policy, state.now, {nullptr, &stopwatch});
  Explanation e{.job = job, .waiting = {.job = job, .reasons = {}, .searches = {}}};
  e.receipt = eviction_record_of(state, after, decided, job);
  e.state = state_of(after, job, e.receipt.has_value());
  e.since = since(after.job(job), e.state);
  e.is_placed_now = is_among(after, decided.binds, job);
  e.is_nominated = is_among(after, decided.pipelined, job);
  e.wants_more_pods = after.job(job).has_pending();
  if (const auto ours = std::ranges::find(decided.waiting, job, &WaitingJob::job);
      ours != decided.waiting.end()) {
    std::vector<WaitingJob> only{std::move(*ours)};
    name_holders(after, only);
    e.waiting = std::move(only.front());
  } else if (auto standing = why_not_considered(after, job); standing && is_waiting(after.job(job))) {
    e.waiting.reasons.push_back(*std::move(standing));
  }
  {
    Session session(after, state.policy, state.now);
    e.line = line_of(session, job);
    if (e.wants_more_pods) look_at_nodes(session, e);
  }
  if (e.state == JobState::kRunning) e.running = look_at_places(state, after, job);
  const bool wants_more = e.state == JobState::kWaiting || e.state == JobState::kEvicted;
  if (options.is_quick) return e;
  e.helps.emplace();
  if (!wants_more) return e;
  const Outcome unchanged = outcome_of(state);
  const AnswerTimes times = times_for(state.cluster, options);
  e.helps = would_help(state, unchanged, e.waiting, {.time = times.helps, .stopwatch = stopwatch});
  if (!options.plays_futures) return e;
  constexpr Duration kLeast = std::chrono::milliseconds(250);
  const Duration left = std::max(kLeast, begin + times.whole - stopwatch.elapsed());
  e.start =
      StartForecast(state, unchanged, job, {.time = left, .threads = options.threads, .stopwatch = stopwatch})
          .of(job);
  return e;
}

}  // namespace muster::answers
