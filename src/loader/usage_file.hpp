// Reads the past usage of queues from a file, for what-if questions about fair shares over time.
//
//   vision: {gpu: 0.4, cpu: 0.1, memory: 0.1}     # shares of the cluster's capacity
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/resources.hpp"
#include "util/result.hpp"

namespace muster::loader {

// Returns usage by queue. Appends errors in the file to `errors`.
std::map<std::string, Shares> read_usage(const std::string& path, std::vector<Error>& errors);

}  // namespace muster::loader
