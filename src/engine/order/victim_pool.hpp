// The running jobs that may be evicted, sorted per leaf queue, kept for the duration of an action and handed
// to the next one. actions.md 6.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

class VictimPool {
 public:
  // Which job is served first; victims come in the reverse order.
  using Before = std::function<bool(const JobEntry&, const JobEntry&)>;

  // Contains all evictable jobs, by age_order.
  explicit VictimPool(Session& session);
  // Contains the evictable jobs among these.
  VictimPool(Session& session, std::span<const JobId> jobs, Before before);
  bool before(const JobEntry& a, const JobEntry& b) const { return before_(a, b); }
  // Evictable jobs of a leaf queue: lowest priority, largest surplus, newest first.
  std::span<const JobEntry> of(QueueId leaf);
  // The same in arbitrary order, for sums.
  std::span<const JobEntry> all_of(QueueId leaf) const { return by_queue_[leaf].jobs(); }
  // The pseudo queue for jobs without a queue, then all leaf queues, depth first.
  std::span<const QueueId> leaves() const { return leaves_; }
  // Call after tasks of these jobs changed for good.
  void update(std::span<const JobId> jobs);
  // Whether nothing changed since it was created or last updated.
  bool is_up_to_date() const { return as_of_ == session_.changes(); }
  // Resets cached bounds, as if the pool were new.
  void forget_bounds();
  // Increases with every update.
  std::uint64_t version() const { return version_; }
  // What the job's tasks hold, by their requests.
  const Charge& held(JobId job) const { return session_.cluster.job(job).held; }
  // Upper bound of the GPUs of any job in the leaf, in thousandths, as its nodes count them.
  std::int64_t largest(QueueId leaf);

 private:
  struct Leaf {
    std::vector<JobEntry> list;
    std::size_t first = 0;  // entries before it are gone
    bool is_sorted = false;
    std::size_t moved = 0;  // number of jobs to be removed
    std::optional<std::int64_t> largest;

    std::span<JobEntry> jobs() { return std::span(list).subspan(first); }
    std::span<const JobEntry> jobs() const { return std::span(list).subspan(first); }
  };
  bool is_evictable(JobId job) const;
  auto in_victim_order() const {
    return [this](const JobEntry& a, const JobEntry& b) { return before_(b, a); };
  }
  void insert(JobId job);
  void erase_moved(Leaf& leaf);

  Session& session_;
  Before before_;
  std::optional<absl::flat_hash_set<JobId>> members_;  // nullopt: all jobs
  std::vector<QueueId> leaves_;
  IdVector<QueueId, Leaf> by_queue_;
  Stamps<JobId> listed_, moved_;
  std::uint64_t version_ = 0, as_of_ = 0;
};

}  // namespace muster
