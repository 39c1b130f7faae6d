// The states of a task, and the sets of states that rules refer to: actions.md 1.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace muster {

enum class TaskStatus : std::uint8_t {
  kPending,
  kGated,
  kAllocated,  // placed by the current statement
  kPipelined,  // nominated: will be placed once resources are released
  kBinding,
  kBound,
  kRunning,
  kReleasing,
  kStuckInReleasing,
  kSucceeded,
  kFailed,
  kUnknown,
  kGone,
};
inline constexpr std::size_t kTaskStatuses = 13;

using StatusSet = std::uint16_t;
constexpr StatusSet bit(TaskStatus s) { return static_cast<StatusSet>(1U << static_cast<unsigned>(s)); }
constexpr StatusSet status_set(std::initializer_list<TaskStatus> statuses) {
  StatusSet set = 0;
  for (TaskStatus s : statuses) set = static_cast<StatusSet>(set | bit(s));
  return set;
}
constexpr bool in(TaskStatus s, StatusSet set) { return (bit(s) & set) != 0; }

// Holds a place on a node and is charged to its queue.
inline constexpr StatusSet kAllocatedSet =
    status_set({TaskStatus::kAllocated, TaskStatus::kBinding, TaskStatus::kBound, TaskStatus::kRunning});
// Likewise, including pipelined ones: for gang counts and eviction candidates.
inline constexpr StatusSet kActiveAllocated = kAllocatedSet | bit(TaskStatus::kPipelined);
// Likewise, including terminating ones: everything that is on a node.
inline constexpr StatusSet kActiveUsed =
    kActiveAllocated | status_set({TaskStatus::kReleasing, TaskStatus::kStuckInReleasing});
inline constexpr StatusSet kAlive = kActiveAllocated | status_set({TaskStatus::kPending, TaskStatus::kGated});

std::string_view name_of(TaskStatus status);

// How many tasks of a group are in each state.
class StatusCounts {
 public:
  void add(TaskStatus s, std::int32_t n) { counts_[static_cast<std::size_t>(s)] += n; }
  std::int32_t of(TaskStatus s) const { return counts_[static_cast<std::size_t>(s)]; }
  std::int32_t in(StatusSet set) const {
    std::int32_t sum = 0;
    for (unsigned bits = set & kEvery; bits != 0; bits &= bits - 1)
      sum += counts_[static_cast<std::size_t>(std::countr_zero(bits))];
    return sum;
  }
  std::int32_t active_allocated() const { return in(kActiveAllocated); }
  std::int32_t total() const { return in(kEvery)-of(TaskStatus::kGone); }
  bool operator==(const StatusCounts&) const = default;

 private:
  static constexpr StatusSet kEvery = (1U << kTaskStatuses) - 1;
  std::array<std::int32_t, kTaskStatuses> counts_{};
};

}  // namespace muster
