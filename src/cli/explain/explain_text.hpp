// What is known of a job as text: a sentence, then the rest.
#pragma once

#include <string>

#include "answers/explain.hpp"
#include "cli/report/text_style.hpp"

namespace muster::cli {

Text explanation_text(const Cluster& cluster, const answers::Explanation& explanation, TimePoint now,
                      const TextStyle& style);

// "job a evicted, jobs b and c later", or "nobody loses anything".
std::string price_text(const Cluster& cluster, const answers::Help& help);

}  // namespace muster::cli
