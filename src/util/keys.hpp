// The annotation keys that the scheduler reads and writes.
#pragma once

namespace muster::keys {

inline constexpr const char* kLastStart = "kai.scheduler/last-start-timestamp";
inline constexpr const char* kLastEviction = "kai.scheduler/last-eviction-timestamp";
inline constexpr const char* kStale = "kai.scheduler/stale-podgroup-timestamp";
inline constexpr const char* kExpectedRuntime = "kai.scheduler/expected-runtime";
inline constexpr const char* kRequeueDelay = "kai.scheduler/requeue-delay";
inline constexpr const char* kRequeueNotBefore = "kai.scheduler/requeue-not-before";
inline constexpr const char* kRequeuedAt = "muster.dev/requeued-at";

}  // namespace muster::keys
