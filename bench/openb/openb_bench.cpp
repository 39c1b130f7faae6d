// Measures how many GPUs of a mixed cluster can be allocated: replays the public trace, or a generated
// cluster, and prints the result next to published figures.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "policy/policy.hpp"
#include "published.hpp"
#include "replay.hpp"
#include "trace.hpp"

namespace muster::bench::openb {
namespace {

struct Options {
  std::string directory;
  std::vector<std::string> workloads;
  int seeds = 10, batch = 1, machines = 120, cycles = 0;
  bool kai_exact = false, packed_by_kai = false, shows_each = false;
  std::vector<std::string> without;  // options of docs/differences.md
};

Result<Policy> policy_of(const Options& options) {
  Config config;
  config.actions = {"allocate"};
  if (options.cycles > 0) config.actions.emplace_back("consolidation");
  if (options.kai_exact) config.params.compatibility = Compatibility::kai_exact();
  for (const std::string& name : options.without) {
    const auto at = std::find_if(kCompatibilityOptions.begin(), kCompatibilityOptions.end(),
                                 [&](const CompatibilityOption& o) { return o.key == name; });
    if (at == kCompatibilityOptions.end())
      return Error{fmt::format("--without: \"{}\" is not an option of docs/differences.md", name), {}};
    config.params.compatibility.*at->is_ours = false;
  }
  std::vector<Error> errors;
  Policy policy = policy::make_policy(config, errors);
  if (!errors.empty()) return errors.front();
  return policy;
}

void print_head() {
  fmt::print("{:<12}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8} |{:>8}{:>8}{:>8}{:>9}\n", "workload", "random", "dotprod",
             "cluster", "packing", "bestfit", "FGD", "muster", "at end", "+-", "ms/run");
}

void print_row(const std::string& workload, const std::vector<Outcome>& outcomes) {
  double sum = 0, end = 0, time = 0, least = 100, most = 0;
  for (const Outcome& o : outcomes) {
    sum += o.at_100, end += o.at_end, time += o.milliseconds;
    least = std::min(least, o.at_100), most = std::max(most, o.at_100);
  }
  const auto n = static_cast<double>(outcomes.size());
  fmt::print("{:<12}", workload);
  const auto at = std::find_if(kPublished.begin(), kPublished.end(),
                               [&](const Published& p) { return p.workload == workload; });
  if (at == kPublished.end())
    fmt::print("{:>48}", "");
  else
    for (double other : {at->random, at->dot_product, at->clustering, at->packing, at->best_fit, at->fgd})
      fmt::print("{:>8.1f}", other);
  fmt::print(" |{:>8.2f}{:>8.2f}{:>8.2f}{:>9.0f}\n", sum / n, end / n, (most - least) / 2, time / n);
  std::fflush(stdout);
}

int fail(const Error& error) {
  fmt::print(stderr, "{}\n", error.text());
  return error.is_outside ? 3 : 2;
}

Result<Trace> trace_of(const Options& options, const std::string& workload, int seed) {
  if (options.directory == "synthetic")
    return synthetic_trace(static_cast<std::uint64_t>(seed), options.machines);
  if (options.directory == "random") return random_mix(static_cast<std::uint64_t>(seed), options.machines);
  return read_trace(options.directory, workload);
}

// The GPUs regained by consolidation when 100 % of the GPUs have been requested.
int run_healing(const Options& options, const Policy& moving) {
  Options without_moves = options;
  without_moves.cycles = 0;
  without_moves.kai_exact = options.kai_exact || options.packed_by_kai;
  const auto packing = policy_of(without_moves);
  if (!packing) return fail(packing.error());
  fmt::print("{:<12}{:>6}{:>10}{:>10}{:>8}{:>12}\n", "workload", "seed", "packed", "healed", "moves", "ms");
  for (const std::string& workload : options.workloads)
    for (int seed = 0; seed < options.seeds; ++seed) {
      const auto trace = trace_of(options, workload, seed);
      if (!trace) return fail(trace.error());
      const auto pods = arrivals(*trace, static_cast<std::uint64_t>(seed), 1);
      const Healing h = heal(*trace, pods, {*packing, moving}, options.cycles);
      fmt::print("{:<12}{:>6}{:>10.2f}{:>10.2f}{:>8}{:>12.0f}\n", workload, seed, h.packed, h.healed, h.moves,
                 h.milliseconds);
      std::fflush(stdout);
    }
  return 0;
}

int run(const Options& options) {
  constexpr double kLoad = 1.3;
  const auto policy = policy_of(options);
  if (!policy) return fail(policy.error());
  if (options.cycles > 0) return run_healing(options, *policy);
  print_head();
  for (const std::string& workload : options.workloads) {
    std::vector<Outcome> outcomes;
    for (int seed = 0; seed < options.seeds; ++seed) {
      const auto trace = trace_of(options, workload, seed);
      if (!trace) return fail(trace.error());
      const auto pods = arrivals(*trace, static_cast<std::uint64_t>(seed), kLoad);
      outcomes.push_back(replay(*trace, pods, *policy, options.batch));
      if (options.shows_each) print_row(fmt::format("seed {}", seed), {outcomes.back()});
    }
    print_row(workload, outcomes);
  }
  return 0;
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app{"Replays the pods of the public GPU trace and prints how many GPUs are allocated."};
  app.add_option("directory", options.directory,
                 "CSV files of alibaba/clusterdata cluster-trace-gpu-v2023, or the word synthetic or random")
      ->required();
  app.add_option("--workload", options.workloads, "default, cpu200, ...; default: all of the table");
  app.add_option("--seeds", options.seeds, "orders of arrival")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--batch", options.batch, "pods that arrive between two cycles; 0: all at once")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--nodes", options.machines, "number of nodes of a synthetic or random cluster")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--heal", options.cycles,
                 "let all pods arrive at once, then let consolidation move running pods for this many cycles")
      ->check(CLI::Range(0, 1000));
  app.add_flag("--packed-by-kai", options.packed_by_kai, "with --heal: place pods like KAI-Scheduler");
  app.add_flag("--each", options.shows_each, "also print a row for each seed");
  app.add_flag("--kai-exact", options.kai_exact, "decide like KAI-Scheduler");
  app.add_option("--without", options.without,
                 "decide like KAI-Scheduler with respect to this option of differences.md");
  CLI11_PARSE(app, argc, argv);
  if (const auto& made_up = options.directory;
      options.workloads.empty() && (made_up == "synthetic" || made_up == "random"))
    options.workloads = {made_up};
  if (options.workloads.empty())
    for (const Published& p : kPublished) options.workloads.emplace_back(p.workload);
  return run(options);
}

}  // namespace
}  // namespace muster::bench::openb

int main(int argc, char** argv) { return muster::bench::openb::main_of(argc, argv); }
