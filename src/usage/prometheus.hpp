// What Prometheus is asked, and what its answers mean.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "usage/amounts.hpp"
#include "usage/settings.hpp"
#include "util/result.hpp"

namespace muster {

// Where the metrics of the scheduler itself are found, for what the settings leave open.
struct OwnMetrics {
  std::string prefix = "kai";  // --metrics-namespace
  std::string node_pool;
};

// In the order of UsageAmounts. Each gives a sum over the samples of the window that ends now, one every
// `queryResolution`, weighted by the half life: of a queue's use, by label queue_name, and of the capacity.
struct UsageQueries {
  std::array<std::string, 3> allocation, capacity;
};
// The window must not be empty.
UsageQueries usage_queries(const UsageSettings& settings, const OwnMetrics& own, TimePoint now);

// The value of each series by its label queue_name, "" where it has none. Also of an answer that says no.
Result<std::map<std::string, double>> values_in(std::string_view answer);

struct UsageSums {
  std::array<std::map<std::string, double>, 3> allocation;
  UsageAmounts capacity{};
};
// Use as a share of the capacity; of what there is none, none is used.
QueueUsage shares_of(const UsageSums& sums);

}  // namespace muster
