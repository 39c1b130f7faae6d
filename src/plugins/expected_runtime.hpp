// Nominates jobs that have run longer than they said they would: plugin expectedruntime. requeue.md.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_expected_runtime();

}  // namespace muster::plugins
