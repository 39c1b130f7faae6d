// Draws nodes and pods from tables: the shares of kinds of nodes, of GPU sizes and of the CPUs that go with
// them, either those of the public trace or drawn from a seed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>

#include "random.hpp"
#include "trace.hpp"

namespace muster::bench::openb {
namespace {

struct MachineKind {
  int weight;  // per thousand
  std::int64_t cores, memory_gib;
  int gpus;
  const char* model;
};
constexpr auto kMachines = std::to_array<MachineKind>({{453, 96, 384, 8, "G2"},
                                                       {319, 104, 512, 2, "T4"},
                                                       {88, 16, 120, 2, "P100"},
                                                       {32, 128, 768, 8, "G3"},
                                                       {23, 32, 128, 4, "V100M16"},
                                                       {18, 64, 256, 2, "P100"},
                                                       {17, 96, 768, 8, "V100M32"},
                                                       {16, 8, 32, 1, "V100M16"},
                                                       {14, 96, 384, 4, "T4"},
                                                       {7, 64, 256, 8, "V100M16"},
                                                       {7, 48, 368, 4, "V100M32"},
                                                       {6, 8, 60, 1, "P100"}});

struct PodKind {
  int weight;  // per thousand
  int gpus;
  std::int64_t gpu_milli;
  std::int64_t least_cores, most_cores;  // multiples of least_cores
};
constexpr auto kPods = std::to_array<PodKind>({{133, 0, 0, 4, 32},
                                               {480, 1, 1000, 4, 16},
                                               {132, 1, 810, 2, 4},
                                               {92, 1, 470, 4, 16},
                                               {40, 1, 320, 2, 8},
                                               {31, 1, 650, 8, 16},
                                               {17, 1, 230, 2, 8},
                                               {16, 1, 460, 4, 8},
                                               {9, 1, 590, 2, 4},
                                               {9, 1, 550, 2, 8},
                                               {9, 1, 160, 2, 8},
                                               {8, 1, 220, 4, 8},
                                               {6, 1, 370, 2, 8},
                                               {4, 1, 110, 2, 8},
                                               {5, 8, 1000, 64, 88},
                                               {5, 4, 1000, 32, 48},
                                               {4, 2, 1000, 12, 24}});

template <class Kinds>
const auto& drawn(Random& random, const Kinds& kinds) {
  const int total =
      std::accumulate(kinds.begin(), kinds.end(), 0, [](int n, const auto& k) { return n + k.weight; });
  auto at = static_cast<int>(random.below(static_cast<std::uint64_t>(total)));
  std::size_t i = 0;
  while (at >= kinds[i].weight) at -= kinds[i++].weight;
  return kinds[i];
}

Ask drawn_ask(Random& random) {
  const PodKind& kind = drawn(random, kPods);
  const auto steps = static_cast<std::uint64_t>(kind.most_cores / kind.least_cores);
  const auto cores = kind.least_cores * static_cast<std::int64_t>(1 + random.below(steps));
  return {.cpu_milli = cores * 1000,
          .memory_mib = cores * 1024 * static_cast<std::int64_t>(2 + 2 * random.below(2)),
          .gpus = kind.gpus,
          .gpu_milli = kind.gpu_milli};
}

// ---------------------------------------------------------------- random mixes

std::int64_t drawn_of(Random& random, std::initializer_list<std::int64_t> values) {
  return *(values.begin() + random.below(values.size()));
}

Machine drawn_machine(Random& random, int model) {
  const auto gpus = drawn_of(random, {1, 2, 4, 8});
  const auto cores = gpus * drawn_of(random, {4, 8, 12, 16, 32});
  return {.name = "",
          .cpu_milli = cores * 1000,
          .memory_mib = cores * 1024 * drawn_of(random, {2, 4, 8}),
          .gpus = static_cast<int>(gpus),
          .model = fmt::format("M{}", model)};
}

// Percentages of the kinds: `sharing` share a GPU, `without` have none, and `bound` require one model.
struct Mix {
  std::uint64_t sharing, without, bound, models;
};

Ask drawn_kind(Random& random, const Mix& mix) {
  const auto cores = drawn_of(random, {1, 2, 4, 6, 8, 12, 16});
  Ask ask{.cpu_milli = cores * 1000, .memory_mib = cores * 1024 * drawn_of(random, {1, 2, 4, 8})};
  if (random.below(100) < mix.without) return ask;
  ask.gpus = 1;
  ask.gpu_milli = 1000;
  if (random.below(100) < mix.sharing)
    ask.gpu_milli = 10 * static_cast<std::int64_t>(5 + random.below(91));
  else if (random.below(3) == 0)
    ask.gpus = static_cast<int>(drawn_of(random, {2, 4, 8}));
  ask.cpu_milli *= ask.gpus;
  ask.memory_mib *= ask.gpus;
  if (random.below(100) < mix.bound) ask.models = {fmt::format("M{}", random.below(mix.models))};
  return ask;
}

}  // namespace

Trace random_mix(std::uint64_t seed, int machines) {
  Random random(seed + 1'000'003);
  const Mix mix{.sharing = random.below(101),
                .without = random.below(40),
                .bound = random.below(50),
                .models = 1 + random.below(6)};
  std::vector<Machine> kinds;
  for (std::uint64_t i = 0; i < mix.models; ++i) kinds.push_back(drawn_machine(random, static_cast<int>(i)));
  Trace trace;
  for (int i = 0; i < machines; ++i) {
    trace.machines.push_back(kinds[random.below(kinds.size())]);
    trace.machines.back().name = fmt::format("node-{:05}", i);
  }
  std::vector<Ask> asks;
  for (std::uint64_t i = 3 + random.below(60); i > 0; --i) asks.push_back(drawn_kind(random, mix));
  asks.push_back({.cpu_milli = 4000, .memory_mib = 8192, .gpus = 1, .gpu_milli = 1000});
  // Earlier kinds are more frequent.
  for (std::int64_t asked = 0; asked < trace.gpu_units();) {
    trace.pods.push_back(asks[std::min(random.below(asks.size()), random.below(asks.size()))]);
    asked += trace.pods.back().gpu_units();
  }
  return trace;
}

Trace synthetic_trace(std::uint64_t seed, int machines) {
  Random random(seed);
  Trace trace;
  for (int i = 0; i < machines; ++i) {
    const MachineKind& kind = drawn(random, kMachines);
    trace.machines.push_back({.name = fmt::format("node-{:05}", i),
                              .cpu_milli = kind.cores * 1000,
                              .memory_mib = kind.memory_gib * 1024,
                              .gpus = kind.gpus,
                              .model = kind.model});
  }
  for (std::int64_t asked = 0; asked < trace.gpu_units();) {
    trace.pods.push_back(drawn_ask(random));
    asked += trace.pods.back().gpu_units();
  }
  return trace;
}

}  // namespace muster::bench::openb
