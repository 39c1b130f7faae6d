// What searches that found nothing had ruled out, kept from cycle to cycle: one that was cut short goes on,
// one that came to its end is not run again while nothing it depends on has changed. Forgetting it costs
// time, never a decision. It goes with one cluster.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/cycle/session.hpp"

namespace muster {

// Scenarios by what they are made of.
using FailedScenarios = absl::flat_hash_set<std::size_t>;

// How a search ended that tried everything.
struct SearchEnded {
  std::int64_t scenarios = 0;
  std::string_view last_failure;         // lives for ever
  std::optional<VictimRefusal> soonest;  // the failure that time alone would mend first
  std::optional<TimePoint> until;        // then time alone may give it other victims
};

class SearchMemory {
 public:
  // Searches for which the action had no use when it last ran are forgotten.
  void action_begins(const std::string& action);

  // What the last search of the action for this job ruled out before it was cut short.
  void recall(const Session& session, const std::string& action, JobId job, FailedScenarios& failed);
  // The search was cut short; the cluster is as it was before it.
  void remember(const Session& session, const std::string& action, JobId job, FailedScenarios failed);

  // How the last search of the action for this job ended, if it would end so again; null: nobody knows.
  const SearchEnded* recall_end(const Session& session, const std::string& action, JobId job);
  void remember_end(const Session& session, const std::string& action, JobId job, SearchEnded ended);

  void forget(const Session& session, const std::string& action, JobId job);

  // Where the steps of an action do not do for all who wait, each has one turn in a round of several cycles.
  bool had_its_turn(const Session& session, const std::string& action, JobId job) const;
  void note_turns(const Session& session, const std::string& action, std::span<const JobId> jobs);
  void end_round(const std::string& action);

  // The tasks of a job that are tried at once, as of a version of it; false: nobody knows.
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
  std::optional<std::size_t> shares_;                                              // of the cycle at hand
  struct KnownTasks {
    std::uint64_t version = 0;
    Tasks tasks;
  };
  absl::flat_hash_map<JobId, KnownTasks> tasks_;
};

}  // namespace muster
