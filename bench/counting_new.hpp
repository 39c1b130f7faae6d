// Counts heap allocations: programs that link counting_new.cpp have a counting operator new.
#pragma once

#include <cstdint>

namespace muster::bench {

std::int64_t allocations();
// The peak memory of the process, in MB.
double peak_megabytes();

}  // namespace muster::bench
