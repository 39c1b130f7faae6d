// Runs one scenario in its own process and prints the time by phase, what was tried, heap allocations and
// peak memory. Also for profilers: muster_bench_once live-4000x140000 100.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "counting_new.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "scenarios.hpp"

namespace muster::bench {
namespace {

double cpu_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

void tell(int cycle, const Decisions& d, double milliseconds, std::int64_t allocated) {
  std::int64_t jobs = 0, nodes = 0, scenarios = 0;
  for (const ActionStats& a : d.actions) {
    jobs += a.jobs_tried;
    nodes += a.nodes_tried;
    scenarios += a.scenarios_simulated;
  }
  fmt::print("cycle {}: {:.2f} ms CPU, {} allocations; bound {}, pipelined {}, evicted {}; ", cycle,
             milliseconds, allocated, d.binds.size(), d.pipelined.size(), d.evictions.size());
  fmt::print("jobs tried {}, nodes tried {}, scenarios {}\n", jobs, nodes, scenarios);
}

int run(const Scenario& scenario, int cycles) {
  const Policy policy = make_policy(scenario);
  double start = cpu_milliseconds();
  LiveCluster live(scenario.shape);
  fmt::print("{}: {} tasks; built in {:.0f} ms CPU, {} allocations, {:.0f} MB\n", scenario.name,
             live.cluster().tasks().size(), cpu_milliseconds() - start, allocations(), peak_megabytes());
  start = cpu_milliseconds();
  live.cluster().refresh(now());
  fmt::print("first refresh {:.2f} ms CPU\n", cpu_milliseconds() - start);
  for (int i = 1; i <= cycles; ++i) {
    const std::int64_t before = allocations();
    start = cpu_milliseconds();
    const Decisions decisions = live.step(policy);
    const double took = cpu_milliseconds() - start;
    tell(i, decisions, took, allocations() - before);
  }
  fmt::print("peak {:.0f} MB\n", peak_megabytes());
  return 0;
}

int usage() {
  fmt::print(stderr, "usage: muster_bench_once SCENARIO [CYCLES]\n");
  for (const Scenario& s : scenarios()) fmt::print(stderr, "  {}\n", s.name);
  return 2;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  using namespace muster::bench;
  const Scenario* const scenario = argc > 1 ? find_scenario(argv[1]) : nullptr;
  if (scenario == nullptr) return usage();
  const int cycles = argc > 2 ? std::atoi(argv[2]) : 1;
  return run(*scenario, cycles);
}
