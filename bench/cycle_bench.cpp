// Benchmarks whole cycles and decoding with Google Benchmark.
#include <benchmark/benchmark.h>

#include "counting_new.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "json_text.hpp"
#include "scenarios.hpp"

namespace muster::bench {
namespace {

// Sums over the iterations of a benchmark, reported as averages.
class Totals {
 public:
  void add(const Decisions& decisions, std::int64_t allocated) {
    for (const ActionStats& a : decisions.actions) {
      jobs_ += a.jobs_tried;
      nodes_ += a.nodes_tried;
      scenarios_ += a.scenarios_simulated;
    }
    bound_ += static_cast<std::int64_t>(decisions.binds.size());
    evicted_ += static_cast<std::int64_t>(decisions.evictions.size());
    allocated_ += allocated;
  }
  void tell(benchmark::State& state) const {
    using benchmark::Counter;
    const auto average = [](std::int64_t n) {
      return Counter(static_cast<double>(n), Counter::kAvgIterations);
    };
    state.counters["jobs_tried"] = average(jobs_);
    state.counters["nodes_tried"] = average(nodes_);
    state.counters["scenarios"] = average(scenarios_);
    state.counters["bound"] = average(bound_);
    state.counters["evicted"] = average(evicted_);
    state.counters["allocations"] = average(allocated_);
    state.counters["peak_MB"] = peak_megabytes();
  }

 private:
  std::int64_t jobs_ = 0, nodes_ = 0, scenarios_ = 0, bound_ = 0, evicted_ = 0, allocated_ = 0;
};

// One cycle over an up-to-date cluster, always the same one.
void cycle(benchmark::State& state, const Scenario& scenario) {
  const Policy policy = make_policy(scenario);
  Cluster start = make_cluster(scenario.shape);
  start.refresh(now());
  Totals totals;
  for (auto _ : state) {
    state.PauseTiming();
    auto cluster = std::make_unique<Cluster>(start);
    const std::int64_t before = allocations();
    state.ResumeTiming();
    const Decisions decisions = run_cycle(*cluster, policy, now());
    state.PauseTiming();
    totals.add(decisions, allocations() - before);
    cluster.reset();
    state.ResumeTiming();
  }
  totals.tell(state);
}

// Deltas and a cycle over a cluster that persists between iterations.
void live(benchmark::State& state, const Scenario& scenario) {
  const Policy policy = make_policy(scenario);
  LiveCluster cluster(scenario.shape);
  cluster.step(policy);
  Totals totals;
  for (auto _ : state) {
    const std::int64_t before = allocations();
    const Decisions decisions = cluster.step(policy);
    totals.add(decisions, allocations() - before);
  }
  totals.tell(state);
}

// Builds a cluster up to the point where it is ready for its first cycle.
void build(benchmark::State& state, const Scenario& scenario) {
  for (auto _ : state) {
    Cluster cluster = make_cluster(scenario.shape);
    cluster.refresh(now());
    benchmark::DoNotOptimize(cluster.total());
  }
}

// Decodes JSON text to objects, without a cluster.
void decode(benchmark::State& state, const Scenario& scenario) {
  const std::string text = json_text(scenario.shape);
  std::int64_t objects = 0;
  const ObjectSink count = [&](Object&&) { ++objects; };
  Findings findings;
  const std::int64_t before = allocations();
  for (auto _ : state)
    read_documents_in(
        "memory", text, [&](const Document& d) { decode_object(d, {.now = now()}, count, findings); },
        [&](const Error& e) { findings.errors.push_back(e); });
  if (!findings.errors.empty()) state.SkipWithError(findings.errors.front().text().c_str());
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  state.SetItemsProcessed(objects);
  state.counters["allocations_per_object"] =
      static_cast<double>(allocations() - before) / static_cast<double>(objects);
}

void register_all() {
  const auto add = [](const std::string& what, auto function, const Scenario& scenario) {
    const std::string name = what + "/" + scenario.name;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) {
      function(s, scenario);
    })->Unit(benchmark::kMillisecond);
  };
  for (const Scenario& s : scenarios()) add("cycle", cycle, s);
  for (const char* name : {"live-4000x140000"}) {
    add("live", live, *find_scenario(name));
    add("build", build, *find_scenario(name));
    add("decode", decode, *find_scenario(name));
  }
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  muster::bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
