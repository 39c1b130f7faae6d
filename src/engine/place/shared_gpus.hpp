// Which devices of a node a shared request gets. placement.md 6.2.
#pragma once

#include <optional>

#include "engine/cycle/session.hpp"
#include "engine/place/roomiest_devices.hpp"

namespace muster {

struct GpuChoice {
  HoldingId holding;
  bool are_idle = false;  // all of them have room now
};

// Nothing: too few devices could take the task.
std::optional<GpuChoice> choose_gpus(Session& session, TaskId task, NodeId node);

// Of the shared GPUs on nodes that the task might use (ranks; null: all), the one that lacks least: for
// messages. Nothing where the task wants no share, or shares of several devices.
std::optional<DomainShortage> nearest_shared_gpu(const Session& session, TaskId task, const Bitmap* allowed,
                                                 const RoomiestDevices& devices);

}  // namespace muster
