// Plugin proportion: fair shares of the queues, the order in which they are served, and what each may take.
// fairshare.md.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

struct ProportionOptions {
  double k_value = 1;                // how strongly past usage counts
  double saturation_multiplier = 1;  // how much less saturated a reclaimer must stay than its victims' queues
};

std::unique_ptr<Plugin> make_proportion(ProportionOptions options);

}  // namespace muster::plugins
