// Plugin expectedruntime: nominates jobs that have exceeded their expected runtime for requeue. requeue.md.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_expected_runtime();

}  // namespace muster::plugins
