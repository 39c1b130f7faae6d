// Plugin minruntime: a running job is not evicted before its minimum runtime has passed. min-runtime.md.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::plugins {

enum class ReclaimResolve { kLca, kQueue };

struct MinRuntimeOptions {
  Duration preempt{}, reclaim{};  // used where no queue has a value
  ReclaimResolve resolve = ReclaimResolve::kLca;
  bool protect_from_consolidation = false;
};

std::unique_ptr<Plugin> make_min_runtime(MinRuntimeOptions options);

}  // namespace muster::plugins
