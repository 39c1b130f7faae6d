// Sorts waits and slowdowns once per queue and takes percentiles from the sorted values.
#include "report/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace muster::report {
namespace {

double nearest_rank(const std::vector<double>& sorted, double percent) {
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

// The values of the jobs of a queue.
struct Sample {
  std::vector<double> waits, slowdowns;
};

// The time from submission to finish, divided by the time that the job needs undisturbed, or if that is
// unknown, by the time it ran. At least 1: a job may have worked before it was submitted to this run.
std::optional<double> slowdown_of(const JobOutcome& job) {
  const Duration work = job.needed > Duration::zero() ? job.needed : job.run;
  if (!job.finished || work <= Duration::zero()) return std::nullopt;
  return std::max(1.0, seconds_of(*job.finished - job.submitted) / seconds_of(work));
}

void count(const JobOutcome& job, QueueFigures& figures, Sample& sample) {
  ++figures.jobs;
  figures.finished += job.finished ? 1 : 0;
  figures.failed += job.failed ? 1 : 0;
  figures.never_started += job.first_start ? 0 : 1;
  if (const auto wait = job.wait()) sample.waits.push_back(seconds_of(*wait));
  if (const auto slowdown = slowdown_of(job)) sample.slowdowns.push_back(*slowdown);
}

void summarise(QueueFigures& figures, Sample&& sample) {
  figures.wait_seconds = spread_of(std::move(sample.waits));
  figures.slowdown = spread_of(std::move(sample.slowdowns));
}

}  // namespace

std::optional<Spread> spread_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Spread{
      .mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
      .p50 = nearest_rank(values, 50),
      .p95 = nearest_rank(values, 95),
      .p99 = nearest_rank(values, 99),
      .max = values.back()};
}

std::int64_t QueueFigures::evicted_pods() const {
  std::int64_t sum = 0;
  for (const auto& [action, pods] : evictions) sum += pods;
  return sum;
}

RunFigures figures_of(const RunOutcome& outcome) {
  RunFigures figures;
  std::map<std::string_view, std::size_t> places;
  for (const QueueOutcome& q : outcome.queues) {
    places[q.name] = figures.queues.size();
    figures.queues.push_back({.name = q.name,
                              .used = gpu_seconds(q.used),
                              .fair = q.fair_gpu_seconds,
                              .lost = gpu_seconds(q.lost),
                              .evictions = q.evictions,
                              .requeues = q.requeues});
    figures.all.used += gpu_seconds(q.used);
    figures.all.fair += q.fair_gpu_seconds;
    figures.all.lost += gpu_seconds(q.lost);
    for (const auto& [action, pods] : q.evictions) figures.all.evictions[action] += pods;
    figures.all.requeues += q.requeues;
  }
  std::vector<Sample> samples(figures.queues.size());
  Sample all;
  for (const JobOutcome& job : outcome.jobs) {
    const auto [at, is_new] = places.try_emplace(job.queue, figures.queues.size());
    if (is_new) {
      figures.queues.push_back({.name = job.queue});
      samples.emplace_back();
    }
    count(job, figures.queues[at->second], samples[at->second]);
    count(job, figures.all, all);
  }
  for (std::size_t i = 0; i < samples.size(); ++i) summarise(figures.queues[i], std::move(samples[i]));
  summarise(figures.all, std::move(all));
  if (outcome.last_finish) figures.makespan_seconds = seconds_of(*outcome.last_finish - outcome.from);
  return figures;
}

}  // namespace muster::report
