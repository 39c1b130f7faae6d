// The order in which a simulation places the contender and the victims' jobs: the normal scheduling order of
// all waiting jobs, of which the others are passed over, or served as well. actions.md 9.6, requeue.md.
//
// Passed-over jobs change nothing but which job stands at the head of its queue, and a run of jobs that ask
// for the same compares the same. So the waiting jobs are kept sorted for the whole action, and a simulation
// walks runs. Its slow twin is a JobOrder with every job in it. How that is filled decides where queues stand
// until they are sorted again, and so who comes first.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

// The order in which jobs come into a line that is filled by age.
struct JobAge {
  TimePoint created;
  std::string_view uid;
  auto operator<=>(const JobAge&) const = default;
};

// Every job with a pending task, per leaf queue, in job order.
class WaitingJobs {
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
  explicit WaitingJobs(Session& session, Who who = Who::kAll);
  const Leaf* of(QueueId leaf) const {
    const auto found = leaves_.find(leaf);
    return found == leaves_.end() || found->second.jobs.empty() ? nullptr : &found->second;
  }
  std::span<const QueueId> queues() const {
    return queues_;
  }  // that ever had one; by creation time, then name
  // Where the job stands in its leaf, if it waits.
  std::optional<std::size_t> place(JobId job) const;
  // The job's tasks, or its place in line, changed for good.
  void changed(JobId job);

 private:
  bool stands_in_line(JobId job) const;
  bool is_younger(JobId a, JobId b) const;
  void add(Leaf& leaf, const Waiting& waiting);
  void remove(Leaf& leaf, JobId job);

  Session& session_;
  const Who who_;
  absl::flat_hash_map<QueueId, Leaf> leaves_;
  absl::flat_hash_map<JobId, JobEntry> entries_;  // as they stand in their leaf
  std::vector<QueueId> queues_;
};

class SimulationOrder {
 public:
  // Queue by queue, each with its best job; or job by job, the oldest first, as the actions fill theirs.
  enum class Filled : std::uint8_t { kByQueue, kByAge };
  SimulationOrder(Session& session, const WaitingJobs& waiting, Filled filled)
      : session_(session), waiting_(waiting), filled_(filled) {}

  struct Contestant {
    JobEntry job;
    Demand wanted;
  };
  // Starts over with these jobs, which may or may not be among the waiting ones.
  void start(std::span<const Contestant> contestants);
  // The next contestant, or an invalid id when all have been served.
  JobId pop();
  // The next job, contestant or not.
  JobId pop_any();

 private:
  struct Node {
    QueueId queue;
    Node* parent = nullptr;
    bool is_leaf = false, dirty = false;
    const WaitingJobs::Leaf* waiting = nullptr;
    std::size_t at = 0;                                   // in waiting->jobs
    absl::InlinedVector<std::size_t, 4> ours_in_waiting;  // places of contestants there
    struct Ours {
      Contestant contestant;
      std::size_t place;  // stands before the waiting job of this index
    };
    absl::InlinedVector<Ours, 4> ours;  // in job order
    std::size_t next_ours = 0;
    std::vector<Node*> children;
  };

  Node* node_of(QueueId queue);
  void link(Node* node);
  void link_by_age();
  JobAge oldest(const Node& leaf) const;
  const Demand& head_of_those_there(const Node& leaf) const;
  void add(const Contestant& contestant);
  void pass_own_places(Node& leaf) const;
  bool is_empty(const Node& node) const;
  const Demand& head_demand(const Node& node) const;
  bool ours_is_next(const Node& leaf) const;
  JobId pop_leaf(Node& leaf);
  void pass_run(Node& leaf) const;
  Node* first_leaf();
  void unlink_empty(Node* node);
  bool before(const Node& a, const Node& b) const;
  void mark_dirty(Node* node);

  Session& session_;
  const WaitingJobs& waiting_;
  const Filled filled_;
  std::optional<JobAge> there_;  // while jobs come in by age: those up to this one
  std::vector<std::unique_ptr<Node>> pool_;
  std::size_t used_ = 0;
  absl::flat_hash_map<QueueId, Node*> by_queue_;
  std::vector<Node*> root_, leaves_;
  std::size_t left_ = 0;
};

}  // namespace muster
