// Every job with a pending task, per leaf queue, in job order: kept for as long as an action runs.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

class WaitingLine {
 public:
  // Whether jobs that the cycle would not place stand in the line, too.
  enum class Who : std::uint8_t { kAll, kConsidered };
  struct Waiting {
    JobEntry job;
    Demand wanted;
  };
  struct Leaf {
    std::deque<Waiting> jobs;   // most leave from the front
    bool same_demand = true;    // all of them want the same
    std::vector<JobId> by_age;  // the oldest, which is among the jobs, comes last; others may be gone
  };
  explicit WaitingLine(Session& session, Who who = Who::kAll);
  // Null: nobody waits there.
  const Leaf* of(QueueId leaf) const {
    const auto found = leaves_.find(leaf);
    return found == leaves_.end() || found->second.jobs.empty() ? nullptr : &found->second;
  }
  // Leaves that ever had one; by creation time, then name.
  std::span<const QueueId> queues() const { return queues_; }
  // Where the job stands in its leaf, if it waits.
  std::optional<std::size_t> place(JobId job) const;
  // The job's tasks, or its place in line, changed for good.
  void update(JobId job);

 private:
  bool stands_in_line(JobId job) const;
  auto youngest_first() const;
  void add(Leaf& leaf, const Waiting& waiting);
  void remove(Leaf& leaf, JobId job);

  Session& session_;
  const Who who_;
  absl::flat_hash_map<QueueId, Leaf> leaves_;
  absl::flat_hash_map<JobId, JobEntry> entries_;  // as they stand in their leaf
  std::vector<QueueId> queues_;
};

}  // namespace muster
