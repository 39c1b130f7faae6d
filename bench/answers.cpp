// How long `explain` takes on 500 nodes with 8,000 jobs, without and with what would help, apart from reading
// files.
//
//   muster_bench_answers [runs]             times; with a file name instead, writes the cluster there as JSON
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "answers/explain.hpp"
#include "answers/find_job.hpp"
#include "json_text.hpp"
#include "scenarios.hpp"
#include "util/stopwatch.hpp"

namespace muster::bench {
namespace {

// Half of the jobs run and fill the cluster, half wait.
ClusterShape shape() { return {.nodes = 500, .running = 4000, .pending = 4000}; }

double milliseconds(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

void measure(const answers::State& state, JobId job, bool is_quick, int runs) {
  const SteadyStopwatch stopwatch;
  std::vector<double> times;
  answers::Explanation last;
  for (int i = 0; i < runs; ++i) {
    const Duration begin = stopwatch.elapsed();
    last = answers::explain(state, job, {.is_quick = is_quick});
    times.push_back(milliseconds(stopwatch.elapsed() - begin));
  }
  std::ranges::sort(times);
  fmt::print("{:28} {:9} best {:7.1f} ms, median {:7.1f}, worst {:7.1f}", state.cluster.job(job).full_name(),
             is_quick ? "--quick" : "whole", times.front(), times[times.size() / 2], times.back());
  if (last.helps && !is_quick)
    fmt::print("; {} changes{}", last.helps->changes.size(), last.helps->is_cut ? ", stopped looking" : "");
  if (last.start) fmt::print("; {} futures{}", last.start->futures, last.start->is_cut ? ", cut" : "");
  fmt::print("\n");
}

int run(int runs) {
  const Scenario scenario{.name = "answers", .shape = shape()};
  const Policy policy = make_policy(scenario);
  Cluster cluster = make_cluster(scenario.shape);
  cluster.refresh(now());
  const answers::State state{cluster, policy, now()};
  std::vector<JobId> jobs;
  for (JobId j : ids(cluster.jobs()))
    if (cluster.job(j).has_pending()) jobs.push_back(j);
  for (JobId j : {jobs.front(), jobs[jobs.size() / 2], jobs.back()})
    for (const bool is_quick : {true, false}) measure(state, j, is_quick, runs);
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
