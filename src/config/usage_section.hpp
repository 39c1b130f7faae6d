// The section usageDBConfig: where past use of queues comes from.
#pragma once

#include "config/setting.hpp"
#include "usage/settings.hpp"

namespace muster {

inline constexpr const char* kNoUsageAddress = "prometheus needs connectionString or connectionStringEnvVar";

// kLater: whoever asks knows the address of Prometheus where the section names none, and checks that there is
// one.
enum class UsageAddress { kNow, kLater };
void read_usage_section(const Setting& section, UsageSettings& usage,
                        UsageAddress address = UsageAddress::kNow);

}  // namespace muster
