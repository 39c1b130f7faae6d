// The scenarios that failed searches ruled out, kept between cycles for one cluster. A search that ended
// early is continued. A complete search is not repeated until something it depends on has changed. Losing
// this memory costs time but never changes a decision.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/cycle/session.hpp"

namespace muster {

// Hashes of the contents of scenarios.
using FailedScenarios = absl::flat_hash_set<std::size_t>;

// The result of a search that tried everything.
struct SearchEnded {
  std::int64_t scenarios = 0;
  std::string_view last_failure;         // points to static storage
  std::optional<VictimRefusal> soonest;  // the failure that the passage of time would remove first
  std::optional<TimePoint> until;        // from then on, the passage of time may allow other victims
};

class SearchMemory {
 public:
  // Drops searches that the action did not use when it last ran.
  void action_begins(const std::string& action);

  // Adds to `failed` what the action's last search for this job ruled out before it ended early.
  void recall(const Session& session, const std::string& action, JobId job, FailedScenarios& failed);
  // Call after a search ended early and the cluster is as it was before the search.
  void remember(const Session& session, const std::string& action, JobId job, FailedScenarios failed);

  // The result of the action's last search for this job if it would end the same way again; null if unknown.
  const SearchEnded* recall_end(const Session& session, const std::string& action, JobId job);
  void remember_end(const Session& session, const std::string& action, JobId job, SearchEnded ended);

  void forget(const Session& session, const std::string& action, JobId job);

  // If an action has too few steps for all pending jobs, each gets one turn in a round of several cycles.
  bool had_its_turn(const Session& session, const std::string& action, JobId job) const;
  void note_turns(const Session& session, const std::string& action, std::span<const JobId> jobs);
  void end_round(const std::string& action);

  // The tasks of a job that are tried together, for a version of the job. recall_tasks() returns false if
  // unknown.
  using Tasks = absl::InlinedVector<TaskId, 4>;
  bool recall_tasks(JobId job, std::uint64_t version, Tasks& tasks) const;
  void remember_tasks(JobId job, std::uint64_t version, const Tasks& tasks);

 private:
  struct Search {
    std::size_t state = 0;
    FailedScenarios failed;
    std::optional<SearchEnded> ended;
    bool is_of_use = true;
  };
  Search* find(const Session& session, const std::string& action, JobId job);
  std::size_t state_of(const Session& session);

  using ByJob = absl::flat_hash_map<std::string, Search>;  // by namespace and name
  absl::flat_hash_map<std::string, ByJob> by_action_;
  absl::flat_hash_map<std::string, absl::flat_hash_set<std::string>> had_a_turn_;  // by action
  std::optional<std::size_t> shares_;                                              // of the current cycle
  struct KnownTasks {
    std::uint64_t version = 0;
    Tasks tasks;
  };
  absl::flat_hash_map<JobId, KnownTasks> tasks_;
};

}  // namespace muster
