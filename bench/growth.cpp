// Measures how a cycle grows with what tenants create: each case at n, 2n and 4n, and the exponent between
// the last two.
//
//   muster_bench_growth [--filter TEXT] [--scale PERCENT] [--list]
//
// An exponent of 1 means linear, 1.1 about n log n, 2 quadratic. Times are CPU time, the best of three.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "engine/cycle/run_cycle.hpp"
#include "growth_cases.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster::bench {
namespace {

constexpr int kTimes = 3;
constexpr double kLongEnough = 2'000;  // milliseconds; anything slower is measured only once

double cpu_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

struct Measured {
  double milliseconds = 0;
  std::size_t bound = 0, evicted = 0, cut_short = 0;
  std::int64_t scenarios = 0;
};

std::size_t jobs_cut_short(const Decisions& d) {
  return static_cast<std::size_t>(std::ranges::count_if(d.waiting, [](const WaitingJob& w) {
    return std::ranges::any_of(w.reasons,
                               [](const JobReason& r) { return r.rule == JobRule::kSearchUnresolved; });
  }));
}

void add(const Decisions& d, Measured& sum) {
  sum.bound += d.binds.size();
  sum.evicted += d.evictions.size();
  sum.cut_short += jobs_cut_short(d);
  for (const ActionStats& a : d.actions) sum.scenarios += a.scenarios_simulated;
}

// Measures only the cycles, not the changes to pods between them.
Measured measure_once(const GrowthCase& growth, const Policy& policy, const Cluster& start) {
  Cluster cluster = start;
  EmbeddedCluster embedded;
  Measured sum;
  TimePoint at = now();
  for (int i = 0; i < growth.cycles; ++i, at += std::chrono::seconds(1)) {
    const double before = cpu_milliseconds();
    const Decisions decisions = run_cycle(cluster, policy, at);
    sum.milliseconds += cpu_milliseconds() - before;
    add(decisions, sum);
    if (i + 1 == growth.cycles) break;
    embedded.carry_out(cluster, decisions, at);
    embedded.update(cluster, at);
  }
  return sum;
}

Measured measure(const GrowthCase& growth, int n) {
  const Policy policy = policy_of(growth);
  Cluster start;
  growth.make(n, [&](Object&& object) { start.apply(std::move(object)); });
  start.refresh(now());
  Measured best = measure_once(growth, policy, start);
  for (int i = 1; i < kTimes && best.milliseconds < kLongEnough; ++i)
    best.milliseconds = std::min(best.milliseconds, measure_once(growth, policy, start).milliseconds);
  return best;
}

void tell(const GrowthCase& growth, double scale) {
  std::string times, exponent = "–";
  Measured last;
  for (int factor : {1, 2, 4}) {
    const int n = std::max(1, static_cast<int>(growth.n * scale)) * factor;
    const double before = last.milliseconds;
    last = measure(growth, n);
    times += fmt::format(" {} | {:.1f} ms |", n, last.milliseconds);
    if (factor == 4) exponent = fmt::format("{:.2f}", std::log2(last.milliseconds / before));
  }
  fmt::print("| {} |{} {} | {} bound, {} evicted, {} scenarios{} |\n", growth.name, times, exponent,
             last.bound, last.evicted, last.scenarios,
             last.cut_short > 0 ? fmt::format(", {} ended early", last.cut_short) : "");
  std::fflush(stdout);
}

int usage() {
  fmt::print(stderr, "usage: muster_bench_growth [--filter TEXT] [--scale PERCENT] [--list]\n");
  return 2;
}

}  // namespace
}  // namespace muster::bench

int main(int count, char** arguments) {
  using namespace muster::bench;
  std::string filter;
  double scale = 1;
  for (int i = 1; i < count; ++i) {
    const bool has_value = i + 1 < count;
    if (std::strcmp(arguments[i], "--list") == 0) {
      for (const GrowthCase& c : growth_cases()) fmt::print("{}: {}\n", c.name, c.what);
      return 0;
    }
    if (has_value && std::strcmp(arguments[i], "--filter") == 0)
      filter = arguments[++i];
    else if (has_value && std::strcmp(arguments[i], "--scale") == 0)
      scale = std::atof(arguments[++i]) / 100;
    else
      return usage();
  }
  fmt::print(
      "| case | n | CPU | 2n | CPU | 4n | CPU | exponent | of the last "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (const GrowthCase& c : growth_cases())
    if (c.name.find(filter) != std::string::npos) tell(c, scale);
}
