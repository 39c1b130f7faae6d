// A job that runs: what speaks for its places, and who could take them.
#pragma once

#include "answers/explain.hpp"

namespace muster::answers {

Running look_at_places(const State& state, const Cluster& after, JobId job);

// Some of the jobs that rules would have allowed to be evicted for the contender instead of the victim.
std::vector<std::string> others_to_evict(const State& state, JobId contender, JobId victim);

}  // namespace muster::answers
