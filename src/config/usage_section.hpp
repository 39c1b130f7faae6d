// Reads the section usageDBConfig: the source of past use of queues.
#pragma once

#include "config/setting.hpp"
#include "usage/settings.hpp"

namespace muster {

inline constexpr const char* kNoUsageAddress =
    "clientType prometheus requires connectionString or connectionStringEnvVar";

// kLater: the caller has a default address of Prometheus, and checks that there is one.
enum class UsageAddress { kNow, kLater };
void read_usage_section(const Setting& section, UsageSettings& usage,
                        UsageAddress address = UsageAddress::kNow);

}  // namespace muster
