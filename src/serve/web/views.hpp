// A copy of the cluster's state for threads that answer requests, made between two cycles when a thread asks.
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
