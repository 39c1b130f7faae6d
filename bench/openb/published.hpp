// Published results on the same workloads: the percentage of GPUs allocated when 100 % have been requested,
// as means over ten seeds, from hkust-adsl/kubernetes-scheduler-simulator
// (experiments/analysis/expected_results).
#pragma once

#include <array>

namespace muster::bench::openb {

struct Published {
  const char* workload;
  double random, dot_product, clustering, packing, best_fit, fgd;
};

inline constexpr auto kPublished = std::to_array<Published>({
    {"default", 86.3, 90.6, 91.7, 91.8, 92.9, 95.2},
    {"cpu050", 89.0, 93.0, 93.5, 93.5, 93.6, 95.0},
    {"cpu100", 87.4, 91.7, 92.4, 92.5, 93.3, 95.2},
    {"cpu200", 83.0, 87.5, 89.7, 90.0, 92.2, 94.8},
    {"cpu250", 80.0, 83.6, 87.8, 88.0, 91.2, 93.2},
    {"gpushare40", 84.9, 89.3, 89.8, 89.8, 91.4, 94.0},
    {"gpushare60", 82.8, 86.8, 86.9, 87.1, 89.1, 91.3},
    {"gpushare80", 80.6, 84.1, 84.5, 84.6, 86.7, 89.1},
    {"gpushare100", 78.9, 82.0, 82.2, 82.1, 84.6, 86.6},
    {"gpuspec10", 86.3, 90.2, 92.0, 92.2, 93.1, 94.7},
    {"gpuspec20", 85.9, 88.3, 89.1, 89.3, 88.5, 94.7},
    {"gpuspec25", 85.4, 85.4, 86.4, 86.8, 85.7, 93.9},
    {"gpuspec33", 83.9, 79.8, 81.1, 82.2, 80.4, 87.8},
    {"multigpu20", 86.9, 91.8, 93.3, 93.5, 93.7, 95.5},
    {"multigpu30", 86.6, 93.1, 94.6, 94.7, 94.6, 96.4},
    {"multigpu40", 85.4, 94.0, 95.3, 95.6, 95.1, 96.9},
    {"multigpu50", 81.3, 94.7, 95.7, 96.1, 95.6, 97.1},
});

}  // namespace muster::bench::openb
