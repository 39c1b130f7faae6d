// Writes the log lines of requeue.
#include "model/requeue_text.hpp"

#include <fmt/format.h>

namespace muster {
namespace {

constexpr int kRequeued = 3, kWarning = 4, kNominated = 5, kChecked = 6;

class Lines {
 public:
  Lines(const Cluster& cluster, int verbosity) : cluster_(cluster), verbosity_(verbosity) {}

  void add(const NominationCheck& check) {
    if (verbosity_ < kChecked) return;
    const auto duration = [](const auto& d) { return d ? format_duration(*d) : "unknown"; };
    const auto time = [](const auto& t) { return t ? format_time(*t) : "none"; };
    say(kChecked, check.job,
        fmt::format("Requeue eligibility checked: job={}, plugin={}, active_tasks={}, can_lose_tasks={}, "
                    "expected_runtime={}, last_start={}, runtime={}, not_before={}",
                    name(check.job), check.by, check.active_tasks, check.can_lose_tasks,
                    duration(check.expected), time(check.last_start), duration(check.runtime),
                    time(check.not_before)));
  }

  void add(const RequeueWarning& warning) {
    if (verbosity_ >= kWarning)
      warn(warning.job,
           fmt::format("Requeue setting ignored: job={}, error={}", name(warning.job), warning.problem));
  }

  void add(const QueueWarning& warning) {
    const Queue& queue = cluster_.queue(warning.queue);
    if (verbosity_ >= kWarning)
      lines_.push_back(
          {kWarning, true, queue.meta.uid,
           fmt::format("Requeue setting ignored: queue={}, error={}", queue.name, warning.problem)});
  }

  void add(const NominationSkip& skip) {
    const bool is_warning = !skip.problem.empty();
    if (verbosity_ < (is_warning ? kWarning : kNominated)) return;
    std::string text =
        fmt::format("Requeue nomination skipped: job={}, reason={}", name(skip.job), skip.reason);
    if (is_warning)
      warn(skip.job, text + ", error=" + skip.problem);
    else
      say(kNominated, skip.job, std::move(text));
  }

  void add(const Nomination& nomination) {
    if (verbosity_ < kNominated) return;
    for (const std::string& plugin : nomination.by)
      say(kNominated, nomination.job,
          fmt::format("Requeue candidate nominated: job={}, plugin={}", name(nomination.job), plugin));
  }

  void add(const PassedOver& spared) {
    if (verbosity_ >= kNominated)
      say(kNominated, spared.job,
          fmt::format("Requeue candidate passed over: job={}, nominated_by={}, reason={}", name(spared.job),
                      spared.nominators, spared.reason));
  }

  void add(const RequeueAttempt& attempt, bool is_dry_run) {
    if (!attempt.found_room && verbosity_ >= kNominated)
      say(kNominated, attempt.preemptor,
          fmt::format("Requeue rolled back: contender={}, nominated_by={}", name(attempt.preemptor),
                      attempt.nominators));
    if (verbosity_ < kRequeued) return;
    for (const RequeueAttempt::Victim& victim : attempt.victims)
      say(kRequeued, victim.job,
          fmt::format("{}: job={}, contender={}, pods={}, nominated_by={}, requeue_not_before={}",
                      is_dry_run ? "Requeue would be committed (dry run)" : "Requeue committed",
                      name(victim.job), name(attempt.preemptor), victim.tasks.size(), attempt.nominators,
                      format_time(victim.not_before)));
  }

  std::vector<RequeueLine> take() { return std::move(lines_); }

 private:
  std::string name(JobId job) const { return cluster_.job(job).name + "/" + cluster_.job(job).ns; }
  void say(int verbosity, JobId job, std::string text) {
    lines_.push_back({verbosity, false, cluster_.job(job).uid, std::move(text)});
  }
  void warn(JobId job, std::string text) {
    lines_.push_back({kWarning, true, cluster_.job(job).uid, std::move(text)});
  }

  const Cluster& cluster_;
  const int verbosity_;
  std::vector<RequeueLine> lines_;
};

}  // namespace

std::vector<RequeueLine> requeue_lines(const Cluster& cluster, const RequeueRecord& record, int verbosity) {
  Lines lines(cluster, verbosity);
  for (const NominationCheck& check : record.checks) lines.add(check);
  for (const QueueWarning& warning : record.queue_warnings) lines.add(warning);
  for (const RequeueWarning& warning : record.warnings) lines.add(warning);
  for (const NominationSkip& skip : record.skipped) lines.add(skip);
  for (const Nomination& nomination : record.nominated) lines.add(nomination);
  for (const PassedOver& spared : record.passed_over) lines.add(spared);
  for (const RequeueAttempt& attempt : record.attempts) lines.add(attempt, record.is_dry_run);
  return lines.take();
}

}  // namespace muster
