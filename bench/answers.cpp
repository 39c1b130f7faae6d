// Measures the time of `explain` on 500 nodes with 8,000 jobs, with and without the changes that would help.
// Reading files is not included.
//
//   muster_bench_answers [runs]             measures; with a file name: writes the cluster there as JSON
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "answers/explain.hpp"
#include "answers/find_job.hpp"
#include "json_text.hpp"
#include "scenarios.hpp"
#include "util/stopwatch.hpp"

namespace muster::bench {
namespace {

// Half of the jobs run and fill the cluster; the other half are pending.
ClusterShape shape() { return {.nodes = 500, .running = 4000, .pending = 4000}; }

double milliseconds(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

// Recorded run times: about twenty minutes for most jobs of each queue, hours for some.
answers::RunFigureTable history_of(const Cluster& cluster) {
  answers::RunFigureTable table;
  for (const Queue& queue : cluster.queues())
    table[{queue.name, ""}] = {.jobs = 200, .median = std::chrono::minutes(20), .p90 = std::chrono::hours(5)};
  return table;
}

void measure(const answers::State& state, JobId job, bool is_quick, int runs) {
  const SteadyStopwatch stopwatch;
  std::vector<double> times;
  answers::Explanation last;
  for (int i = 0; i < runs; ++i) {
    const Duration begin = stopwatch.elapsed();
    last = answers::explain(state, job, {.is_quick = is_quick, .threads = answers::threads_here()});
    times.push_back(milliseconds(stopwatch.elapsed() - begin));
  }
  std::ranges::sort(times);
  fmt::print("{:28} {:9} best {:7.1f} ms, median {:7.1f}, worst {:7.1f}", state.cluster.job(job).full_name(),
             is_quick ? "--quick" : "whole", times.front(), times[times.size() / 2], times.back());
  if (last.helps && !is_quick)
    fmt::print("; {} changes{}", last.helps->changes.size(), last.helps->is_cut ? ", stopped early" : "");
  if (last.start)
    fmt::print("; {} futures{}", last.start->futures, last.start->is_cut ? ", stopped early" : "");
  fmt::print("\n");
}

// Measures the processor time of one future, independently of other load.
void measure_future(const answers::State& state, JobId job) {
  constexpr int kSome = 4;
  const answers::Outcome unchanged = answers::outcome_of(state);
  const SteadyStopwatch stopwatch;
  const std::clock_t begin = std::clock();
  const answers::StartForecast futures(
      state, unchanged, job, {.futures = kSome, .time = std::chrono::hours(1), .stopwatch = stopwatch});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const answers::StartEstimate e = futures.of(job);
  fmt::print("{:28} a future {:7.1f} ms of CPU; it starts in {:.1f} h\n", state.cluster.job(job).full_name(),
             1000 * seconds / kSome, e.p50 ? milliseconds(*e.p50 - state.now) / 3.6e6 : 0.0);
}

int run(int runs) {
  const Scenario scenario{.name = "answers", .shape = shape()};
  const Policy policy = make_policy(scenario);
  Cluster cluster = make_cluster(scenario.shape);
  cluster.refresh(now());
  const answers::KnownTimes times{.pods = {}, .groups = {}, .history = history_of(cluster)};
  const answers::State state{cluster, policy, now(), &times};
  std::vector<JobId> jobs;
  for (JobId j : ids(cluster.jobs()))
    if (cluster.job(j).has_pending()) jobs.push_back(j);
  for (JobId j : {jobs.front(), jobs[jobs.size() / 2], jobs.back()})
    for (const bool is_quick : {true, false}) measure(state, j, is_quick, runs);
  for (JobId j : {jobs.front(), jobs[jobs.size() / 2], jobs.back()}) measure_future(state, j);
  return 0;
}

int write(const char* file) {
  std::ofstream(file) << json_text(shape());
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int count, char** words) {
  char* end = nullptr;
  const long runs = count > 1 ? std::strtol(words[1], &end, 10) : 5;
  if (count > 1 && *end != '\0') return muster::bench::write(words[1]);
  return muster::bench::run(static_cast<int>(std::max(1L, runs)));
}
