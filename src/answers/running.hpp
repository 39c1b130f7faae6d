// Answers for a running job: the scores of its nodes, and the jobs that could preempt it.
#pragma once

#include "answers/explain.hpp"

namespace muster::answers {

Running look_at_places(const State& state, const Cluster& after, JobId job);

// Some of the jobs that the rules would have allowed to evict for the preemptor instead of the victim.
std::vector<std::string> others_to_evict(const State& state, JobId preemptor, JobId victim);

}  // namespace muster::answers
