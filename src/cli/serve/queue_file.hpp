// The queues that `muster serve` is told to begin with.
#pragma once

#include <string>
#include <vector>

#include "util/result.hpp"

namespace muster::cli {

// The Queue objects of a file as JSON, in its order; an Error where it has anything else, or nothing.
Result<std::vector<std::string>> read_queue_file(const std::string& file);

}  // namespace muster::cli
