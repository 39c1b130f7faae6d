// Every job with a pending task, per leaf queue, in job order; kept for the duration of an action.
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
  // Whether to include jobs that the cycle would not place.
  enum class Who : std::uint8_t { kAll, kConsidered };
  struct Waiting {
    JobEntry job;
    Demand wanted;
  };
  struct Leaf {
    std::deque<Waiting> jobs;   // a deque, because most are removed from the front
    bool same_demand = true;    // all jobs request the same
    std::vector<JobId> by_age;  // the oldest is last and is in `jobs`; others may be gone
  };
  explicit WaitingLine(Session& session, Who who = Who::kAll);
  // Null if there are no pending jobs.
  const Leaf* of(QueueId leaf) const {
    const auto found = leaves_.find(leaf);
    return found == leaves_.end() || found->second.jobs.empty() ? nullptr : &found->second;
  }
  // Leaves that ever had a pending job, by creation time, then name.
  std::span<const QueueId> queues() const { return queues_; }
  // The index of the job in its leaf, if it is pending.
  std::optional<std::size_t> place(JobId job) const;
  // Call after the job's tasks or its queue position changed for good.
  void update(JobId job);

 private:
  bool stands_in_line(JobId job) const;
  auto youngest_first() const;
  void add(Leaf& leaf, const Waiting& waiting);
  void remove(Leaf& leaf, JobId job);

  Session& session_;
  const Who who_;
  absl::flat_hash_map<QueueId, Leaf> leaves_;
  absl::flat_hash_map<JobId, JobEntry> entries_;  // sort keys as of their insertion
  std::vector<QueueId> queues_;
};

}  // namespace muster
