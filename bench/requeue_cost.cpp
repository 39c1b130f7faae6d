// Measures the cost of requeue: compared with preempt on the same overdue cluster, and as a part of a cycle
// without jobs that opted in.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/cycle/run_cycle.hpp"
#include "scenarios.hpp"

namespace muster::bench {
namespace {

double cycle_ms(const Decisions& d) {
  double sum = d.open_milliseconds;
  for (const ActionStats& a : d.actions) sum += a.milliseconds;
  return sum;
}

double action_ms(const Decisions& d, const std::string& name) {
  const auto at = std::ranges::find(d.actions, name, &ActionStats::action);
  return at == d.actions.end() ? 0 : at->milliseconds;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Alternates the two, so that other load affects both.
void compare(const std::string& what, int runs) {
  const Scenario &by_requeue = *find_scenario("requeue-" + what),
                 &by_preempt = *find_scenario("preempt-" + what);
  Cluster start = make_cluster(by_requeue.shape);
  start.refresh(now());
  std::vector<double> requeue, preempt;
  Decisions last;
  const SteadyStopwatch stopwatch;
  for (int i = 0; i < runs; ++i)
    for (const auto& [scenario, times] : {std::pair(&by_preempt, &preempt), {&by_requeue, &requeue}}) {
      Cluster cluster = start;
      last = run_cycle(cluster, make_policy(*scenario), now(), {.stopwatch = &stopwatch});
      times->push_back(action_ms(last, scenario->actions.front()));
    }
  fmt::print(
      "{}: {} nominated, {} commits, {} rollbacks; requeue {:.2f} ms, preempt {:.2f} ms, ratio {:.2f}\n",
      what, last.requeue->nominated.size(), last.requeue->commits(), last.requeue->rollbacks(),
      median(requeue), median(preempt), median(requeue) / median(preempt));
}

void without_opt_in(const std::string& name, int runs) {
  const Scenario& scenario = *find_scenario(name);
  const Policy policy = make_policy(Scenario{});
  LiveCluster live(scenario.shape);
  live.step(policy);
  std::vector<double> requeue, cycle;
  for (int i = 0; i < runs; ++i) {
    const Decisions d = live.step(policy);
    requeue.push_back(action_ms(d, "requeue"));
    cycle.push_back(cycle_ms(d));
  }
  fmt::print("{} without an opt-in: requeue {:.4f} ms of {:.2f} ms, {:.3f} %\n", name, median(requeue),
             median(cycle), 100 * median(requeue) / median(cycle));
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  for (const char* what : {"500-served", "500-half-in-vain", "500-in-vain"})
    muster::bench::compare(what, runs);
  for (const char* name : {"growth-1000", "full-1000x20000", "live-4000x140000"})
    muster::bench::without_opt_in(name, runs);
}
