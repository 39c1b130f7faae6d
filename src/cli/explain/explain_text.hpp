// The explanation of a job as text: one sentence, then the details.
#pragma once

#include <string>

#include "answers/explain.hpp"
#include "terminal/text_style.hpp"

namespace muster::cli {

Text explanation_text(const Cluster& cluster, const answers::Explanation& explanation, TimePoint now,
                      const TextStyle& style);

// The cost of a change for other jobs: "evicts a; delays b, c", or "no other job is affected".
std::string cost_text(const Cluster& cluster, const answers::Help& help);

}  // namespace muster::cli
