// The jobs that were nominated for requeue in a cycle, and the results. requeue.md.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "util/time.hpp"

namespace muster {

struct Nomination {
  JobId job;
  std::vector<std::string> by;          // plugins, in their order
  Duration overrun = Duration::zero();  // time beyond the expected runtime
  std::string all_names() const;        // "expectedruntime,proportion"
};

struct NominationSkip {
  JobId job;
  std::string by, reason;
  std::string problem;  // what the user should correct; "" if nothing
};

// The facts about a job that a nominating plugin checked, whether it nominated the job or not.
struct NominationCheck {
  JobId job;
  std::string by;
  std::int32_t active_tasks = 0;
  bool can_lose_tasks = false;
  std::optional<Duration> expected, runtime;  // nullopt: unknown or unreadable
  std::optional<TimePoint> last_start, not_before;
};

// A setting of a job that was ignored in favour of a default.
struct RequeueWarning {
  JobId job;
  std::string problem;
};

// A setting of a queue that was ignored for all of its jobs.
struct QueueWarning {
  QueueId queue;
  std::string problem;
};

// A nominated job that a preemptor outranks but could not evict.
struct PassedOver {
  JobId job;
  std::string nominators, reason;
};

// The search for one preemptor that had candidates for eviction.
struct RequeueAttempt {
  JobId preemptor;
  std::string nominators;
  bool found_room = false;
  struct Victim {
    JobId job;
    std::vector<TaskId> tasks;  // evicted or moved
    TimePoint not_before{};     // when it may be nominated again
  };
  std::vector<Victim> victims = {};
};

struct RequeueRecord {
  std::vector<NominationCheck> checks;
  std::vector<Nomination> nominated;
  std::vector<NominationSkip> skipped;
  std::vector<RequeueWarning> warnings;
  std::vector<QueueWarning> queue_warnings;
  std::vector<RequeueAttempt> attempts;
  std::vector<PassedOver> passed_over;  // each job once
  bool is_dry_run = false;              // true: no pod was evicted

  // Zero for a dry run.
  std::size_t commits() const;
  std::size_t rollbacks() const;

  void nominate(JobId job, std::string_view plugin, Duration overrun);
  void skip(JobId job, std::string_view plugin, std::string_view reason, std::string problem = "");
  // Records the same warning only once.
  void warn(JobId job, std::string problem);

 private:
  absl::flat_hash_map<JobId, std::size_t> places_;  // indices into `nominated`
};

}  // namespace muster
