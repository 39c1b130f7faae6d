// What the cluster was like at one moment, for threads that answer questions: a copy, made between two cycles
// when somebody asks.
#pragma once

#include "answers/state.hpp"
#include "engine/cycle/policy.hpp"
#include "model/cluster.hpp"
#include "serve/web/asked.hpp"

namespace muster::serve {

struct ClusterView {
  Cluster cluster;
  Policy policy;
  TimePoint now{};
  answers::KnownTimes times;
};

using Views = Asked<ClusterView>;

}  // namespace muster::serve
