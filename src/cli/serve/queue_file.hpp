// Reads the file of default queues for `muster serve`.
#pragma once

#include <string>
#include <vector>

#include "util/result.hpp"

namespace muster::cli {

// Returns the Queue objects of the file as JSON, in order. It is an error if the file contains other objects
// or no Queue.
Result<std::vector<std::string>> read_queue_file(const std::string& file);

}  // namespace muster::cli
