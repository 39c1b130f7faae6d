// Prefers the job's own duration, then its queue's default, then the history. Draws the remaining
// time of a job from the distribution beyond the time it has already run.
#include "answers/run_lengths.hpp"

#include <algorithm>
#include <cmath>

#include "answers/eviction_record.hpp"
#include "engine/search/requeue_settings.hpp"
#include "model/users.hpp"
#include "util/normal.hpp"

namespace muster::answers {
namespace {

using Law = RunTime::Law;

constexpr double kLeastLeft = 1e-9;  // if less of a distribution remains, it gives no useful value

// From 0 to 1, both exclusive.
double unit_draw(std::uint64_t seed, const std::string& name) {
  return (static_cast<double>(random_bits(seed, name, "length") >> 11) + 0.5) * 0x1p-53;
}

double count_of(Duration d) { return static_cast<double>(d.count()); }

Duration of_count(double nanoseconds) {
  constexpr double kLongest = 9.0e18;
  return Duration(static_cast<std::int64_t>(std::clamp(nanoseconds, 0.0, kLongest)));
}

// An overdue job continues for about as long as it is overdue already.
Duration late_end(Duration expected, Duration elapsed, double draw) {
  constexpr Duration kLeast = std::chrono::minutes(1);
  const Duration mean = std::max({elapsed - expected, expected / 10, kLeast});
  return elapsed + of_count(-count_of(mean) * std::log(draw));
}

Duration lognormal_beyond(const RunTime& law, Duration elapsed, double draw) {
  const double median = count_of(law.first);
  const double sigma = std::log(count_of(law.second) / median) / kNormalP90;
  if (sigma <= 0) return elapsed < law.first ? law.first : late_end(law.first, elapsed, draw);
  const double below =
      elapsed <= Duration::zero() ? 0 : normal_share(std::log(count_of(elapsed) / median) / sigma);
  if (1 - below < kLeastLeft) return late_end(law.first, elapsed, draw);
  return std::max(elapsed, of_count(median * std::exp(sigma * normal_quantile(below + draw * (1 - below)))));
}

// Draws a duration from the law for a job that has already run for `elapsed`.
Duration drawn_beyond(const RunTime& law, Duration elapsed, bool may_be_late, double draw) {
  switch (law.law) {
    case Law::kFixed:
      if (law.first > elapsed) return law.first;
      return may_be_late ? late_end(law.first, elapsed, draw) : elapsed;
    case Law::kExponential:
      return elapsed + of_count(-count_of(law.first) * std::log(draw));
    case Law::kUniform: {
      const Duration least = std::clamp(elapsed, law.first, law.second);
      return std::max(elapsed, least + of_count(draw * count_of(law.second - least)));
    }
    case Law::kLognormal:
      return lognormal_beyond(law, elapsed, draw);
  }
  return elapsed;
}

std::optional<RunTime> expected_law(const Cluster& cluster, JobId job) {
  const auto text = expected_runtime(cluster, job);
  const auto length = text ? parse_duration(*text) : std::nullopt;
  if (!length || *length <= Duration::zero()) return std::nullopt;
  return RunTime{Law::kFixed, *length, {}};
}

// The time that the job ran before its eviction: its work takes longer than that. This bound matters, because
// most evicted jobs are long.
Duration ran_before(const Job& job) {
  Duration ran{};
  if (job.last_start && job.last_eviction) ran = std::max(ran, *job.last_eviction - *job.last_start);
  const auto receipt = job.eviction_receipt ? from_annotation(*job.eviction_receipt) : std::nullopt;
  if (receipt && receipt->runtime_lost_seconds)
    ran = std::max(ran, of_count(*receipt->runtime_lost_seconds * 1e9));
  return ran;
}

const Work* work_in(const std::map<std::string, Work>& works, const std::string& name) {
  const auto found = works.find(name);
  return found == works.end() ? nullptr : &found->second;
}

bool says_length(const Work& work) { return work.duration || work.work; }

}  // namespace

RunLengths::RunLengths(const State& state, const Cluster& cluster) {
  for (JobId j : ids(cluster.jobs()))
    if (const Job& job = cluster.job(j); job.present && job.counts.in(kAlive) > 0) add(state, cluster, j);
}

void RunLengths::add(const State& state, const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  OfJob known{
      .job = id, .runs = job.counts.in(kAllocatedSet) > 0, .length = {.name = job.full_name()}, .pods = {}};
  Length& length = known.length;
  length.elapsed = ran_before(job);
  if (known.runs && job.last_start) length.elapsed = std::max(length.elapsed, state.now - *job.last_start);
  if (state.times != nullptr) {
    if (const Work* work = work_in(state.times->groups, length.name)) length.work = *work;
    if (!state.times->pods.empty())
      for (const PodSet& set : job.pod_sets)
        for (TaskId t : set.tasks)
          if (const Work* work = work_in(state.times->pods, cluster.task(t).full_name()))
            known.pods.push_back(
                {.name = cluster.task(t).full_name(), .work = *work, .elapsed = length.elapsed});
  }
  const bool pods_say =
      std::ranges::any_of(known.pods, [](const Length& pod) { return says_length(pod.work); });
  if (says_length(length.work) || pods_say) {
    known.source = Source::kExpected;
  } else if (const auto law = expected_law(cluster, id)) {
    known.source = Source::kExpected;
    length.work.duration = law;
    length.may_be_late = true;
  } else if (const auto usual = state.times == nullptr ? std::nullopt
                                                       : usual_run_time(state.times->history, job.queue_name,
                                                                        std::string(user_of(cluster, id)))) {
    known.source = Source::kHistory;
    length.work.duration = usual;
  }
  note_randomness(length);
  for (const Length& pod : known.pods) note_randomness(pod);
  jobs_.push_back(std::move(known));
}

void RunLengths::note_randomness(const Length& length) {
  if (!length.work.duration) return;
  const bool is_late = length.may_be_late && length.elapsed >= length.work.duration->first;
  is_random_ |= length.work.duration->law != Law::kFixed || is_late;
}

EstimateBasis RunLengths::basis(JobId excluded) const {
  EstimateBasis basis;
  for (const OfJob& known : jobs_) {
    if (!known.runs || known.job == excluded) continue;
    ++(known.source == Source::kExpected  ? basis.expected
       : known.source == Source::kHistory ? basis.history
                                          : basis.unknown);
  }
  return basis;
}

Agenda RunLengths::draw(std::uint64_t seed, std::optional<Duration> unknown) const {
  const auto drawn = [&](const Length& length) {
    Work work = length.work;
    if (work.duration)
      work.duration = RunTime{
          Law::kFixed,
          drawn_beyond(*work.duration, length.elapsed, length.may_be_late, unit_draw(seed, length.name)),
          {}};
    return work;
  };
  Agenda agenda;
  for (const OfJob& known : jobs_) {
    if (!known.length.work.is_empty()) agenda.groups[known.length.name] = drawn(known.length);
    if (known.source == Source::kUnknown && unknown)
      agenda.groups[known.length.name].duration = RunTime{Law::kFixed, known.length.elapsed + *unknown, {}};
    for (const Length& pod : known.pods) agenda.pods[pod.name] = drawn(pod);
  }
  return agenda;
}

}  // namespace muster::answers
