// The section usageDBConfig: where past use of queues comes from.
#pragma once

#include "config/setting.hpp"
#include "usage/settings.hpp"

namespace muster {

void read_usage_section(const Setting& section, UsageSettings& usage);

}  // namespace muster
