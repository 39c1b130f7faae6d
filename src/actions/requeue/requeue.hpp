// Requeue: evicts overdue jobs that opted in, for pending jobs that outrank them. requeue.md.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::actions {

enum class RequeueContenders : std::uint8_t { kOutranking, kSchedulingOrder };

struct RequeueOptions {
  Duration default_delay = std::chrono::minutes(5);  // time before a requeued job may be nominated again
  RequeueContenders preemptors = RequeueContenders::kOutranking;
  bool is_dry_run = false;  // counts and reports, but evicts no job
};

std::unique_ptr<Action> make_requeue(RequeueOptions options = {});

}  // namespace muster::actions
