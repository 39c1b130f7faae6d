// The result of a run over simulated time; text, JSON and the page are printed from it. docs/time.md 5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "util/int128.hpp"
#include "util/time.hpp"

namespace muster {

// Thousandths of a GPU times nanoseconds, so that sums and differences are exact.
using GpuTime = Int128;
inline double gpu_seconds(GpuTime t) { return static_cast<double>(t) / 1e12; }
inline double seconds_of(Duration d) { return std::chrono::duration<double>(d).count(); }

// A period in which the job was pending for the same reason.
struct WaitStretch {
  TimePoint from{}, to{};
  std::string reason;  // the message when it was first reported
};

struct JobOutcome {
  std::string name;  // "namespace/name"
  std::string queue;
  std::int64_t gpus = 0;                 // of all its pods, in thousandths
  TimePoint submitted{};                 // for jobs that exist at the start: the start
  std::optional<TimePoint> first_start;  // when it first reached its minimum
  std::optional<TimePoint> finished;     // when its work was done
  std::optional<TimePoint> failed;       // when it gave up, after too many failed pods
  std::optional<TimePoint> deleted;      // when it was deleted before its end
  // The parts of its time from submission to its end or the end of the run.
  Duration run{};              // at or above its minimum
  Duration queued{};           // without any place
  Duration held_idle{};        // with places, but below its minimum
  Duration needed{};           // duration without disturbances; zero: unknown
  std::int64_t starts = 0;     // how often it reached its minimum
  std::int64_t evictions = 0;  // number of pods
  std::int64_t requeues = 0;
  GpuTime used = 0, lost = 0;
  std::string reason;              // why it is pending at the end of the run; "": it is not
  std::vector<WaitStretch> waits;  // before its first start and later

  std::optional<Duration> wait() const {
    return first_start ? std::optional(*first_start - submitted) : std::nullopt;
  }
  bool has_ended() const { return finished || failed || deleted; }
};

struct QueueOutcome {
  std::string name;
  GpuTime used = 0, lost = 0;
  double fair_gpu_seconds = 0;
  std::map<std::string, std::int64_t> evictions;  // number of pods by action
  std::int64_t requeues = 0;
};

// Values after the cycle at each timestamp, or else after the last event before it. GPUs in thousandths.
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

// An eviction and its record.
struct EvictionNote {
  TimePoint at{};
  std::string pod, job, queue, action;
  std::string preemptor;  // the preemptor; "": none
  std::string rule;       // the rule that allowed it
  std::string node;
};
inline constexpr std::size_t kMostEvictionNotes = 20'000;

struct RunOutcome {
  TimePoint from{}, to{};
  bool is_cut = false;  // ended early
  std::int64_t cycles = 0;
  double wall_seconds = 0;
  std::uint64_t seed = 0;

  std::int64_t nodes = 0, gpus = 0;  // the most at any time; GPUs in thousandths
  GpuTime used = 0, capacity = 0;
  GpuTime idle_in_vain = 0;  // idle although a pending job requested no more than the sum of the idle GPUs
  std::optional<TimePoint> last_finish;

  std::vector<QueueOutcome> queues;  // leaves in the order of the queue tree, then queues that do not exist
  std::vector<JobOutcome> jobs;      // by submission, then name
  RunSeries series;
  std::vector<EvictionNote> evictions;  // only the first ones
  std::int64_t eviction_count = 0;

  double utilisation() const { return part(used); }
  double fragmentation() const { return part(idle_in_vain); }

 private:
  double part(GpuTime of) const {
    return capacity == 0 ? 0 : static_cast<double>(of) / static_cast<double>(capacity);
  }
};

}  // namespace muster
