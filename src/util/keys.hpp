// The annotation keys that the scheduler reads and writes.
#pragma once

namespace muster::keys {

inline constexpr const char* kLastStart = "kai.scheduler/last-start-timestamp";
inline constexpr const char* kLastEviction = "kai.scheduler/last-eviction-timestamp";
inline constexpr const char* kStale = "kai.scheduler/stale-podgroup-timestamp";
inline constexpr const char* kExpectedRuntime = "kai.scheduler/expected-runtime";
inline constexpr const char* kRequeueDelay = "kai.scheduler/requeue-delay";
inline constexpr const char* kRequeueNotBefore = "kai.scheduler/requeue-not-before";
inline constexpr const char* kEvictionReceipt = "muster.dev/last-eviction";
inline constexpr const char* kRequeuedAt = "muster.dev/requeued-at";
// On queues: the namespaces that may use the queue.
inline constexpr const char* kNamespaces = "muster.dev/namespaces";
// On PodGroups and pods: the queue that they were last charged to.
inline constexpr const char* kQueue = "muster.dev/queue";
// A label of PodGroups and pods: their owner.
inline constexpr const char* kUser = "user";

// The work of pods and jobs in simulated time: model/work.hpp.
inline constexpr const char* kDuration = "muster.dev/duration";
inline constexpr const char* kWork = "muster.dev/work";
inline constexpr const char* kCheckpointEvery = "muster.dev/checkpoint-every";
inline constexpr const char* kRestartCost = "muster.dev/restart-cost";
inline constexpr const char* kFailsAfter = "muster.dev/fails-after";

}  // namespace muster::keys
