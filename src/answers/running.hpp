// A job that runs: what speaks for its places, and who could take them.
#pragma once

#include "answers/explain.hpp"

namespace muster::answers {

Running look_at_places(const State& state, const Cluster& after, JobId job);

}  // namespace muster::answers
