// The queries for Prometheus, and the meaning of its answers.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "usage/amounts.hpp"
#include "usage/settings.hpp"
#include "util/result.hpp"

namespace muster {

// Where to find the scheduler's own metrics; used for whatever the settings do not specify.
struct OwnMetrics {
  std::string prefix = "kai";  // --metrics-namespace
  std::string node_pool;
};

// Queries in the order of UsageAmounts. Each one sums samples over the window that ends now, one per
// `queryResolution`, weighted by the half life: the use of queues by label queue_name, or the capacity.
struct UsageQueries {
  std::array<std::string, 3> allocation, capacity;
};
// REQUIRES: the window is not empty.
UsageQueries usage_queries(const UsageSettings& settings, const OwnMetrics& own, TimePoint now);

// The value of each series by its label queue_name; "" for series without it. An answer that reports a
// failure is an error.
Result<std::map<std::string, double>> values_in(std::string_view answer);

struct UsageSums {
  std::array<std::map<std::string, double>, 3> allocation;
  UsageAmounts capacity{};
};
// Use as a share of the capacity. The share is 0 for resources without capacity.
QueueUsage shares_of(const UsageSums& sums);

}  // namespace muster
