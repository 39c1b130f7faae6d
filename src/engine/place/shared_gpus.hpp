// Chooses the devices of a node for a shared request. placement.md 6.2.
#pragma once

#include <optional>

#include "engine/cycle/session.hpp"
#include "engine/place/roomiest_devices.hpp"

namespace muster {

struct GpuChoice {
  HoldingId holding;
  bool are_idle = false;  // all of them have room now
};

// Returns nullopt if too few devices can take the task.
std::optional<GpuChoice> choose_gpus(Session& session, TaskId task, NodeId node);

// The shared GPU that comes closest to fitting the task, on nodes that it might use (ranks; null: all), for
// messages. Nullopt if the task requests no share, or shares of several devices.
std::optional<DomainShortage> nearest_shared_gpu(const Session& session, TaskId task, const Bitmap* allowed,
                                                 const RoomiestDevices& devices);

}  // namespace muster
