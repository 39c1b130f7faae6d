// What came of a run over simulated time: text, JSON and the page are printed from it. docs/spec/time.md 5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "util/int128.hpp"
#include "util/time.hpp"

namespace muster {

// Thousandths of a GPU times nanoseconds: sums and differences are exact.
using GpuTime = Int128;
inline double gpu_seconds(GpuTime t) { return static_cast<double>(t) / 1e12; }
inline double seconds_of(Duration d) { return std::chrono::duration<double>(d).count(); }

// As long as the job waited for one and the same reason.
struct WaitStretch {
  TimePoint from{}, to{};
  std::string reason;  // in words, as it was first given
};

struct JobOutcome {
  std::string name;  // "namespace/name"
  std::string queue;
  std::int64_t gpus = 0;                 // of all its pods, in thousandths
  TimePoint submitted{};                 // those that were there before the start: the start
  std::optional<TimePoint> first_start;  // it first stood at its minimum
  std::optional<TimePoint> finished;     // with its work done
  std::optional<TimePoint> failed;       // gave up: its pods failed more often than they may
  std::optional<TimePoint> deleted;      // taken back before its end
  // Its life from submission to its end, or to the end of the run.
  Duration run{};              // at or above its minimum
  Duration queued{};           // without any place
  Duration held_idle{};        // with places, and below its minimum
  Duration needed{};           // the time it would run undisturbed; zero: not known
  std::int64_t starts = 0;     // it came to stand at its minimum
  std::int64_t evictions = 0;  // pods
  std::int64_t requeues = 0;
  GpuTime used = 0, lost = 0;
  std::string reason;              // why it waits at the end of the run; "": it does not
  std::vector<WaitStretch> waits;  // before its first start and after

  std::optional<Duration> wait() const {
    return first_start ? std::optional(*first_start - submitted) : std::nullopt;
  }
  bool has_ended() const { return finished || failed || deleted; }
};

struct QueueOutcome {
  std::string name;
  GpuTime used = 0, lost = 0;
  double fair_gpu_seconds = 0;
  std::map<std::string, std::int64_t> evictions;  // pods, by action
  std::int64_t requeues = 0;
};

// Values after the cycle at each instant, or after the last event before it. GPUs in thousandths.
struct RunSeries {
  struct OfQueue {
    std::vector<std::int64_t> used;
    std::vector<double> fair;  // in GPUs
  };
  Duration step{};
  std::vector<TimePoint> at;
  std::vector<std::int64_t> used, wanted, capacity;
  std::vector<std::int64_t> jobs_waiting;
  std::map<std::string, OfQueue> queues;
};

// An eviction with its receipt.
struct EvictionNote {
  TimePoint at{};
  std::string pod, job, queue, action;
  std::string contender;  // the job it was done for; "": for none
  std::string rule;       // that allowed it
  std::string node;
};
inline constexpr std::size_t kMostEvictionNotes = 20'000;

struct RunOutcome {
  TimePoint from{}, to{};
  bool is_cut = false;  // ended before its time
  std::int64_t cycles = 0;
  double wall_seconds = 0;
  std::uint64_t seed = 0;

  std::int64_t nodes = 0, gpus = 0;  // the most there were at one time; GPUs in thousandths
  GpuTime used = 0, capacity = 0;
  GpuTime idle_in_vain = 0;  // idle while a job waited that wanted no more than what was idle in sum
  std::optional<TimePoint> last_finish;

  std::vector<QueueOutcome> queues;  // leaves, in the order of the queue tree, then those that do not exist
  std::vector<JobOutcome> jobs;      // by submission, then name
  RunSeries series;
  std::vector<EvictionNote> evictions;  // the first of them
  std::int64_t eviction_count = 0;

  double utilisation() const { return part(used); }
  double fragmentation() const { return part(idle_in_vain); }

 private:
  double part(GpuTime of) const {
    return capacity == 0 ? 0 : static_cast<double>(of) / static_cast<double>(capacity);
  }
};

}  // namespace muster
