// Past use of queues from a file, for what-if questions about fair shares over time.
//
//   vision: {gpu: 0.4, cpu: 0.1, memory: 0.1}     # shares of the cluster's capacity
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/resources.hpp"
#include "util/result.hpp"

namespace muster::cli {

// Queue → use. What is wrong with the file is appended to `errors`.
std::map<std::string, Shares> read_usage(const std::string& path, std::vector<Error>& errors);

}  // namespace muster::cli
