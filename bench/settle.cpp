// Static clusters: how long muster decides something new although nothing happens but its own decisions, how
// many pods it evicts, and how many GPUs stay idle.
//
//   muster_bench_settle [--nodes 20] [--load 3] [--seeds 50] [--full] [--cycles 200] [--verbose]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <vector>

#include "bench/static_cluster.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "policy/policy.hpp"
#include "sim/embedded_cluster.hpp"

namespace muster {
namespace {

struct Options {
  bench::StaticShape shape;
  int seeds = 50, first_seed = 0, cycles = 200;
  bool exact = false, verbose = false;
};

struct Result {
  int settled_after = 0;  // the last cycle that decided something
  int evictions = 0, evicted_twice = 0;
  double idle_first = 0, idle_last = 0;  // percent of GPUs after the first and the last cycle
  double lost_hours = 0;                 // GPU-hours since the last start of evicted jobs
  double seconds = 0;
};

double idle_percent(const Cluster& c) {
  double free = 0, all = 0;
  for (NodeId n : c.nodes_by_name()) {
    all += static_cast<double>(c.allocatable().at(kGpu, n));
    free += static_cast<double>(c.idle().at(kGpu, n));
  }
  return 100 * free / all;
}

Result settle(const Options& options, unsigned seed, const Policy& policy) {
  Cluster c = bench::make_static_cluster(options.shape, seed);
  EmbeddedCluster embedded;
  SearchMemory memory;
  std::map<TaskId, int> evicted;
  Result r;
  const auto start = std::chrono::steady_clock::now();
  TimePoint now = bench::static_start();
  for (int cycle = 1; cycle <= options.cycles; ++cycle, now += std::chrono::seconds(1)) {
    const Decisions d = run_cycle(c, policy, now, {.memory = &memory});
    for (const EvictDecision& e : d.evictions) {
      ++r.evictions;
      if (options.verbose)
        fmt::print("    {} evicts {} for {}\n", e.action, c.task(e.task).name,
                   e.preemptor.valid() ? c.job(e.preemptor).name : "-");
      if (++evicted[e.task] == 2) ++r.evicted_twice;
      if (e.runtime_lost)
        r.lost_hours += std::chrono::duration<double, std::ratio<3600>>(*e.runtime_lost).count() *
                        static_cast<double>(c.shape_of(e.task).whole_gpus()) / kOneGpu;
    }
    if (options.verbose)
      fmt::print("  cycle {}: {} bound, {} nominated, {} evicted, {:.1f} % idle\n", cycle, d.binds.size(),
                 d.pipelined.size(), d.evictions.size(), idle_percent(c));
    embedded.carry_out(c, d, now);
    embedded.update(c, now);
    c.refresh(now);
    if (cycle == 1) r.idle_first = idle_percent(c);
    r.idle_last = idle_percent(c);
    if (!d.binds.empty() || !d.evictions.empty() || !d.pipelined.empty())
      r.settled_after = cycle;
    else if (!d.is_unfinished)
      break;
  }
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return r;
}

int run(const Options& options) {
  std::vector<Error> errors;
  Config config;
  if (options.exact) config.params.compatibility = Compatibility::kai_exact();
  const Policy policy = policy::make_policy(config, errors);
  std::vector<int> settled;
  Result sum;
  int unsettled = 0;
  for (int i = 0; i < options.seeds; ++i) {
    const auto seed = static_cast<unsigned>(options.first_seed + i);
    const Result r = settle(options, seed, policy);
    if (options.verbose)
      fmt::print("seed {}: settled after {}, {} evictions, {} twice, idle {:.1f} % then {:.1f} %\n", seed,
                 r.settled_after, r.evictions, r.evicted_twice, r.idle_first, r.idle_last);
    if (r.settled_after == options.cycles) ++unsettled;
    settled.push_back(r.settled_after);
    sum.evictions += r.evictions;
    sum.evicted_twice += r.evicted_twice;
    sum.idle_first += r.idle_first / options.seeds;
    sum.idle_last += r.idle_last / options.seeds;
    sum.lost_hours += r.lost_hours;
    sum.seconds += r.seconds;
  }
  std::ranges::sort(settled);
  fmt::print(
      "{} nodes, load {}, {} start, {} seeds{}: settled after {} cycles (median), {} (99 %), {} (most), "
      "{} not settled; {} evictions, {} pods twice, {:.0f} GPU-hours lost; idle {:.2f} % after cycle 1, "
      "{:.2f} % in the end; {:.1f} s\n",
      options.shape.nodes, options.shape.load, options.shape.full ? "full" : "empty", options.seeds,
      options.exact ? ", KAI's decisions" : "", settled[settled.size() / 2],
      settled[(settled.size() - 1) * 99 / 100], settled.back(), unsettled, sum.evictions, sum.evicted_twice,
      sum.lost_hours, sum.idle_first, sum.idle_last, sum.seconds);
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Options options;
  CLI::App app{"Measures how static clusters settle."};
  app.add_option("--nodes", options.shape.nodes, "Nodes of 8 GPUs");
  app.add_option("--load", options.shape.load, "Requested GPUs of pending jobs, as a multiple of all GPUs");
  app.add_option("--seeds", options.seeds, "Number of clusters");
  app.add_option("--first-seed", options.first_seed, "Seed of the first cluster");
  app.add_option("--cycles", options.cycles, "Most cycles per cluster");
  app.add_option("--elastic-in", options.shape.elastic_in, "One job in so many is elastic; 0: none");
  app.add_flag("--full", options.shape.full, "Start with running jobs, placed at random");
  app.add_flag("--kai-exact", options.exact, "Take KAI's decisions");
  app.add_flag("--verbose", options.verbose, "Print every cycle");
  CLI11_PARSE(app, argc, argv);
  return muster::run(options);
}
