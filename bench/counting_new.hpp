// Counts what is taken from the heap: programs that link counting_new.cpp have a counting operator new.
#pragma once

#include <cstdint>

namespace muster::bench {

std::int64_t allocations();
// The most memory the process ever had, in MB.
double peak_megabytes();

}  // namespace muster::bench
